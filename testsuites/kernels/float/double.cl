// double is IEEE 754's throughout, division and sqrt included.
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#pragma OPENCL FP_CONTRACT OFF
kernel void doubles(global const double *x, global const double *y, global double *out) {
  size_t i = get_global_id(0);
  double a = x[i];
  double b = y[i];
  int e;
  double whole;
  size_t k = i * 16;
  out[k++] = a + b;
  out[k++] = a - b;
  out[k++] = a * b;
  out[k++] = a / b;
  out[k++] = sqrt(fabs(a));
  out[k++] = fma(a, b, -(a * b));
  out[k++] = a * b + a;
  out[k++] = floor(a);
  out[k++] = ceil(b);
  out[k++] = rint(a);
  out[k++] = round(a * 0.5);
  out[k++] = frexp(a, &e) + e;
  out[k++] = modf(b, &whole);
  out[k++] = whole;
  out[k++] = nextafter(a, b);
  out[k++] = fmin(a, b) + fmax(a, 1.0);
}

kernel void double_vectors(global const double *x, global double *out) {
  size_t i = get_global_id(0);
  double3 a = vload3(i, x);
  double3 b = a.zxy;
  vstore3(a / b + trunc(a), 3 * i, out);
  vstore3(fma(a, b, a) - sqrt(fabs(b)), 3 * i + 1, out);
  vstore3(select(a, b, isgreater(a, b)), 3 * i + 2, out);
}
