// run: -g 1 -a 'int[1]=0' -a int=0
int sign(int n) {
  if (n > 0) return 1;
  if (n < 0) return -1;
  return 0;
}
kernel void signs(global int* out, int n) { out[0] = sign(n); }
