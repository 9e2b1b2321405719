// run: -g 1 -a 'int[1]=0' -a float=3e9
kernel void k(global int* out, float x) {
  out[0] = convert_int_sat(x);
}
