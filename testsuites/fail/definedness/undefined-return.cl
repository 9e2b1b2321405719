// run: -k k -g 1 -l 1 -a 'int[1]=0' -a int=0
// The function returns nothing for 0, and what it returns is stored.
int sign(int n) {
  if (n > 0) return 1;
  if (n < 0) return -1;
}

kernel void k(global int* a, int n) { a[0] = sign(n); }
