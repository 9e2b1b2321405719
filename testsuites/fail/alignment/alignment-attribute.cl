// run: -k k -g 1 -l 1 -a 'offset(4) int[8]=0'
// The parameter says that it is aligned to 64 bytes.
typedef global int* aligned_pointer __attribute__((align_value(64)));

kernel void k(aligned_pointer a) { a[0] = 1; }
