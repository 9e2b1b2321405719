#pragma OPENCL EXTENSION cl_khr_fp64 : enable
// What PoCL 3.1 has wrong (docs/judge.md, docs/gallery), one kernel each.
typedef struct { uint t[4]; } Pack;
kernel void structure(global uint* y, Pack pack) {
  size_t i = get_global_id(0);
  pack.t[i & 3] += (uint)i;
  barrier(CLK_GLOBAL_MEM_FENCE);
  y[i] = pack.t[(i + 1) & 3];  // of which no work-item has changed its own
}
kernel void folded(global uint* y) {
  y[get_global_id(0)] = abs(as_int(0x80000000u));
}
kernel void tgamma1(global const float* x, global float* y) {
  size_t i = get_global_id(0);
  y[i] = tgamma(x[i]);
}
kernel void exp1(global const double* x, global double* y) {
  size_t i = get_global_id(0);
  y[i] = exp(x[i]);
}
kernel void ldexp4(global const float4* x, global float4* y) {
  size_t i = get_global_id(0);
  y[i] = ldexp(x[i], (int4)(-130));
}
kernel void pow8(global const double8* x, global double8* y) {
  size_t i = get_global_id(0);
  y[i] = pow(x[i], (double8)(-10.5));
}
kernel void fmod8(global const double8* x, global const double8* z, global double8* y) {
  size_t i = get_global_id(0);
  y[i] = fmod(x[i], z[i]);
}
kernel void sin16(global const float16* x, global float16* y) {
  size_t i = get_global_id(0);
  y[i] = sin(x[i]);
}
