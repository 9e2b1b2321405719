// run: -g 1 -a 'int[2]=0'
kernel void twice(global int* out) {
  for (int i = 0; i < 2; ++i) {
    int kept;  // another one in each round
    if (i == 0) kept = 1;
    if (kept == 1) out[i] = 1;
  }
}
