// run: -k k -g 1 -l 1 -a 'int[4]=0' -a 'int[4]=0'
// The pointers point into different buffers.
kernel void k(global int* a, global int* b) { a[0] = (int)((b + 2) - a); }
