// run: -g 1 -a 'uint[1]=0' -a float=nan
kernel void k(global uint* out, float x) {
  out[0] = convert_uint_sat(x);
}
