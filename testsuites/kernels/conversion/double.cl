// double to and from the other types.
#pragma OPENCL EXTENSION cl_khr_fp64 : enable

kernel void from_double(global const double *x, global float *floats, global long *integers) {
  size_t i = get_global_id(0);
  double a = x[i];
  floats[i * 5] = (float)a;
  floats[i * 5 + 1] = convert_float_rte(a);
  floats[i * 5 + 2] = convert_float_rtz(a);
  floats[i * 5 + 3] = convert_float_rtp(a);
  floats[i * 5 + 4] = convert_float_rtn(a);
  size_t k = i * 10;
  integers[k++] = convert_char_sat(a);
  integers[k++] = convert_uchar_sat_rte(a);
  integers[k++] = convert_short_sat_rtp(a);
  integers[k++] = convert_ushort_sat_rtn(a);
  integers[k++] = convert_int_sat(a);
  integers[k++] = convert_uint_sat_rtz(a);
  integers[k++] = convert_long_sat(a);
  integers[k++] = convert_long_sat_rte(a);
  integers[k++] = as_long(convert_ulong_sat(a));
  integers[k++] = as_long(convert_ulong_sat_rtp(a));
}

kernel void to_double(global const long *x, global double *out) {
  size_t i = get_global_id(0);
  long a = x[i];
  size_t k = i * 8;
  out[k++] = (double)a;
  out[k++] = convert_double_rtz(a);
  out[k++] = convert_double_rtp(a);
  out[k++] = convert_double_rtn(a);
  out[k++] = (double)(ulong)a;
  out[k++] = (double)(int)a;
  out[k++] = (double)(uint)a;
  out[k++] = (double)(float)(short)a;
}

kernel void double_vectors(global const double *x, global const int *n, global double *out) {
  size_t i = get_global_id(0);
  double4 a = vload4(0, x + i % 24);
  float4 f = convert_float4(a);
  vstore4(convert_double4(f), 3 * i, out);
  vstore4(convert_double4(vload4(i, n)), 3 * i + 1, out);
  vstore4(convert_double4(convert_long4_sat(a)), 3 * i + 2, out);
}
