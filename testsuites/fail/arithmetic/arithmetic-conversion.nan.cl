// run: -g 1 -a 'uint[1]=0' -a float=nan
kernel void k(global uint* out, float x) {
  out[0] = (uint)x;  // not a number
}
