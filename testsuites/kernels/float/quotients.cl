// With -cl-fp32-correctly-rounded-divide-sqrt division and sqrt are IEEE 754's.
#pragma OPENCL FP_CONTRACT OFF
kernel void quotients(global const float *x, global const float *y, global float *out) {
  size_t i = get_global_id(0);
  float a = x[i];
  float b = y[i];
  size_t k = i * 5;
  out[k++] = a / b;
  out[k++] = 1.0f / b;
  out[k++] = sqrt(fabs(a));
  out[k++] = sqrt(a * a + b * b);
  out[k++] = (a - b) / (a * a + 1.0f);
}

kernel void quotients4(global const float *x, global const float *y, global float *out) {
  size_t i = get_global_id(0);
  float4 a = vload4(i, x);
  float4 b = vload4(i, y);
  vstore4(a / b, 2 * i, out);
  vstore4(sqrt(fabs(a)) / 3.0f, 2 * i + 1, out);
}
