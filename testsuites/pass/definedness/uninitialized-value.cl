// run: -g 1 -a 'int[1]=0'
kernel void sum(global int* out) {
  int total = 0;
  for (int i = 0; i < 3; ++i) total += i;
  out[0] = total;
}
