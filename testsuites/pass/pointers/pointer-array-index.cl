// run: -g 1 -a 'int[1]=0' -a int=4
kernel void fill(global int* out, int count) {
  int rows[2][4] = {{0}};
  for (int i = 0; i < count; ++i) rows[0][i] = i;
  for (const int* p = rows[0]; p != &rows[0][count]; ++p) out[0] += *p;  // one past, not accessed
}
