// run: -k k -g 1 -l 1 -a 'int[1]=0' -a int=-5
// The function returns a value for the number that it is given.
int sign(int n) {
  if (n > 0) return 1;
  if (n < 0) return -1;
}

kernel void k(global int* a, int n) { a[0] = sign(n); }
