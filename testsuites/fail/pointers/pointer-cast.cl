// run: -k k -g 1 -l 1 -a 'int[4]=0'
// A generic pointer into local memory is cast to a pointer to global memory.
int first(int* p) { return *(global int*)p; }

kernel void k(global int* a) {
  local int l[1];
  l[0] = 1;
  a[1] = first(l);
}
