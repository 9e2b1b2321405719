// run: -g 1 -a 'int[1]=0' -a int=2147483647
kernel void next(global int* out, int n) {
  out[0] = (int)((uint)n + 1);
}
