// run: -k k -g 1 -l 1 -a 'int[4]=0' -a 'buffer(0)'
// The pointers share a buffer, but not the elements that are used.
kernel void k(global int* restrict a, global int* b) {
  a[0] = 1;
  a[1] = b[2];
}
