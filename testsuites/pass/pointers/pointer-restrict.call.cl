// run: -k k -g 1 -l 1 -a 'int[4]=0'
// The pointers change their roles, but in another call; the caller may use them before and after.
void add(global int* restrict a, global int* restrict b) { a[0] = b[0] + 1; }
kernel void k(global int* p) {
  p[1] = 1;
  add(p, p + 1);
  add(p + 1, p);
  p[0] += p[1];
}
