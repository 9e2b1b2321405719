// Division within 2.5 ulp may still only give the exact quotient where both operands and the
// quotient are small integers and the divisor is a power of two.
#pragma OPENCL FP_CONTRACT OFF
kernel void exact_quotients(global const int *x, global float *out) {
  size_t i = get_global_id(0);
  float a = (float)(x[i] % 4096);
  out[2 * i] = a / 8.0f;
  out[2 * i + 1] = (a * 0.5f) * 0.25f;
}
