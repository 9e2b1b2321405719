// run: -k k -g 1 -l 1 -a 'int[4]=0'
// The ranges overlap: what the first round writes is read by the second one.
void twice(global int* restrict to, global int* from, int n) {
  for (int i = 0; i < n; ++i) to[i] = 2 * from[i];
}
kernel void k(global int* p) { twice(p + 1, p, 2); }
