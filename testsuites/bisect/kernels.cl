#pragma OPENCL EXTENSION cl_khr_fp64 : enable
// Right kernels; each calls a built-in that a faulty driver has wrong.  The test knows the lines.
kernel void loop(global const float* x, global float* y) {
  size_t i = get_global_id(0);
  float sum = 0;
  for (int k = 0; k < 6; ++k)
    sum += sin(x[i] * k) * 0.5f;
  y[i] = sum + 1;
}
float helper(float a, int n) {
  float b = a;
  for (int k = 0; k < n; ++k)
    b = rsqrt(b) + a;
  return b;
}
kernel void function(global const float* x, global float* y) {
  size_t i = get_global_id(0);
  y[i] = helper(x[i], 3) * 2;
}
kernel void vector(global const float4* x, global float4* y) {
  size_t i = get_global_id(0);
  y[i] = exp(x[i] * 0.25f) - (float4)(1, 2, 3, 4);
}
kernel void integers(global const int* x, global int* y) {
  size_t i = get_global_id(0);
  int a = x[i] * 3;
  y[i] = mad_sat(a, 1000, 7) ^ 5;
}
kernel void saturate(global const float* x, global uchar* y) {
  size_t i = get_global_id(0);
  y[i] = convert_uchar_sat(x[i] * 10.0f);
}
kernel void tile(global const uint* x, global uint* y, local uint* t) {
  size_t i = get_local_id(0);
  t[i] = x[get_global_id(0)] + 1;
  barrier(CLK_LOCAL_MEM_FENCE);
  y[get_global_id(0)] = rotate(t[get_local_size(0) - 1 - i], 3u) + 2;
}
kernel void planes(global const double2* x, global double* y) {
  size_t i = get_global_id(0) + get_global_size(0) * get_global_id(1);
  double2 p = x[i];
  if (p.x > 1.0)
    p.y = hypot(p.x, p.y);
  y[i] = p.x < p.y ? p.y : p.x;
}
