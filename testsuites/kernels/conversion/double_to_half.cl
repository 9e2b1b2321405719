// One rounding from double to half, not two: the values lie beside the middle of two halves.
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
kernel void store_doubles(global const double *x, global ushort *bits) {
  size_t i = get_global_id(0);
  global half *out = (global half *)bits;
  vstore_half_rte(x[i], 4 * i, out);
  vstore_half_rtz(x[i], 4 * i + 1, out);
  vstore_half_rtp(x[i], 4 * i + 2, out);
  vstore_half_rtn(x[i], 4 * i + 3, out);
}
