// run: -k k -g 1 -l 1 -a 'int[1]=0' -a 'read_only int[1]=0'
// A store to a buffer that kernels may only read.
kernel void k(global int* a, global int* b) { b[0] = a[0] + 1; }
