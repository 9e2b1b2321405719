// run: -k k -g 1 -l 1 -a 'int[4]=0' -a int=6
// `end` is computed beyond one past the end of the buffer, and compared.
kernel void k(global int* a, int n) {
  global int* end = a + n;
  a[0] = a < end;
}
