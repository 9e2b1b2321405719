// run: -k k -g 1 -l 1 -a 'int[4]=0'
// Generic pointers into the same address space are compared, and one with null.
int is_same(int* p, int* q) { return p == q; }

kernel void k(global int* a) {
  local int l[1];
  a[1] = is_same(a, a + 1) + is_same(l, l) + is_same(l, 0);
}
