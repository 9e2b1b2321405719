// run: -k k -g 1 -l 1 -a 'int[1]=0' -a 'write_only int[1]=0'
// The buffer that is only written may be written.
kernel void k(global int* a, global int* b) { b[0] = a[0] + 1; }
