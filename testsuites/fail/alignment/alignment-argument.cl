// run: -k k -g 1 -l 1 -a 'offset(2) int[4]=0' -a 'int[1]=0'
// A sub-buffer begins in the middle of an int.
kernel void k(global int* a, global int* out) { out[0] = a != 0; }
