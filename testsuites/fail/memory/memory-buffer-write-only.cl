// run: -k k -g 1 -l 1 -a 'write_only int[1]=0' -a 'int[1]=0'
// A load from a buffer that kernels may only write.
kernel void k(global int* a, global int* b) { b[0] = a[0] + 1; }
