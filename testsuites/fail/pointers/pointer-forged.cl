// run: -k k -g 1 -l 1 -a 'int[4]=0' -a 'local(16)'
// The address of local memory is made a pointer to global memory.
kernel void k(global int* a, local int* l) {
  global int* p = (global int*)(ulong)l;
  *p = 1;
}
