// run: -g 1 -a 'int[1]=0' -a int=5
kernel void k(global int* out, int x) {
  out[0] = clamp(x, 9, 0);  // the lower limit is the second one
}
