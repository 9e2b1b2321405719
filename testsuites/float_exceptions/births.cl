#pragma OPENCL EXTENSION cl_khr_fp64 : enable
// Each line is counted by float_exceptions_test.py, which computes it by itself.
kernel void births(global const float* a, global const float* b, global float* y) {
  size_t i = get_global_id(0);
  float p = a[i], q = b[i];
  float sum = p + q;
  float difference = p - q;
  float product = p * q;
  float quotient = p / q;
  float root = sqrt(p);
  float wide = fma(p, q, 1.0f);
  y[i] = sum + difference * product - quotient + root * wide;
}
kernel void doubles(global const double2* a, global double2* y) {
  size_t i = get_global_id(0);
  double2 p = a[i];
  double2 change = p - (double2)(1.0, 2.0);
  float2 narrow = convert_float2(p);
  y[i] = change * convert_double2(narrow);
}
