// run: -g 1 -a 'int[1]=0'
// Through a pointer to the whole of it there are no rows any more.
kernel void sum(global int* out) {
  int rows[4][4] = {{1, 2}};
  int* all = (int*)rows;
  for (int i = 0; i < 16; ++i) out[0] += all[i];
  out[0] += ((int*)rows)[15];
}
