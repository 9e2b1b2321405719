// run: -g 1 -a 'int[1]=0' -a int=4
kernel void fill(global int* out, int count) {
  int rows[2][4] = {{0}};
  for (int i = 0; i <= count; ++i) rows[0][i] = i;  // rows[0][4] is rows[1][0]
  out[0] = rows[1][0];
}
