// run: -k k -g 1 -l 1 -a 'int[4]=0'
// The ranges are disjoint, what both pointers lead to is only read, and others are based on them.
void put(global int* p, int value) { *p = value; }
void twice(global int* restrict to, global int* from, global int* restrict factor, int n) {
  for (int i = 0; i < n; ++i) put(to + i, *factor * from[i]);
}
kernel void k(global int* p) { twice(p + 2, p, p, 2); }
