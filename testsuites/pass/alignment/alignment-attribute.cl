// run: -k k -g 1 -l 1 -a 'offset(64) int[32]=0'
// A sub-buffer at an origin that is aligned as the parameter says.
typedef global int* aligned_pointer __attribute__((align_value(64)));

kernel void k(aligned_pointer a) { a[0] = 1; }
