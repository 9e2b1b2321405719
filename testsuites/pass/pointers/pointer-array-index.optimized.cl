// run: -g 16 -a 'int[16]=0' --build-options -O2
// LLVM makes rows[0][i] of this, which means nothing else to it.
kernel void copy(global int* out) {
  volatile int rows[4][4];
  volatile int* all = (volatile int*)rows;
  const int i = get_global_id(0);
  all[i] = i;
  out[i] = all[i];
}
