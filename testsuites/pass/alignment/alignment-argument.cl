// run: -k k -g 1 -l 1 -a 'offset(4) int[4]=0' -a 'int[1]=0'
// A sub-buffer begins at an int.
kernel void k(global int* a, global int* out) { out[0] = a != 0; }
