// run: -k k -g 1 -l 1 -a 'int[4]=0' -a 'int[4]=0'
// Both pointers point into the same buffer.
kernel void k(global int* a, global int* b) { a[0] = b[0] + (int)((a + 2) - a); }
