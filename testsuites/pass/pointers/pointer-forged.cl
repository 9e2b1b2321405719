// run: -k k -g 1 -l 1 -a 'int[4]=0' -a 'local(16)'
// A pointer becomes an integer and the same pointer again.
kernel void k(global int* a, local int* l) {
  local int* p = (local int*)((ulong)l + 4);
  *p = 1;
  a[0] = *p;
}
