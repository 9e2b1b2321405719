// run: -k k -g 1 -l 1 -a 'read_only int[1]=0' -a 'int[1]=0'
// The buffer that is only read may be read.
kernel void k(global int* a, global int* b) { b[0] = a[0] + 1; }
