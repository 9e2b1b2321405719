// run: -k k -g 1 -l 1 -a 'int[4]=0'
// The generic pointer points to global memory, as the cast says.
int first(int* p) { return *(global int*)p; }

kernel void k(global int* a) {
  local int l[1];
  l[0] = 1;
  a[1] = first(a) + l[0];
}
