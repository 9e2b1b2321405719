// vload_half and vstore_half: half as a storage format, which needs no extension.  NaN is left out:
// its payload after a conversion is not defined.
kernel void load_halves(global const ushort *bits, global float *out) {
  size_t i = get_global_id(0);
  global const half *x = (global const half *)bits;
  out[i] = vload_half(i, x);
}

kernel void store_halves(global const float *x, global ushort *bits) {
  size_t i = get_global_id(0);
  global half *out = (global half *)bits;
  vstore_half(x[i], 5 * i, out);
  vstore_half_rte(x[i], 5 * i + 1, out);
  vstore_half_rtz(x[i], 5 * i + 2, out);
  vstore_half_rtp(x[i], 5 * i + 3, out);
  vstore_half_rtn(x[i], 5 * i + 4, out);
}

kernel void half_vectors(global const ushort *bits, global float *out, global ushort *stored) {
  size_t i = get_global_id(0);
  global const half *x = (global const half *)bits;
  global half *halves = (global half *)stored;
  vstore4(vload_half4(i, x + 1), 4 * i, out);
  vstore2(vload_half2(2 * i, x + 1), 8 * i + 2, out);
  vstore3(vload_half3(i, x + 2), 0, out + 16 * i + 6);
  // The aligned forms: three components are four apart.
  vstore3(vloada_half3(i, x), 0, out + 16 * i + 9);
  vstore4(vloada_half4(i, x), 0, out + 16 * i + 12);
  vstore_half4_rtz(vload4(4 * i, out) * 0.5f, i, halves);
}
