// run: -k k -g 1 -l 1 -a 'int[2]=0'
// The function only reads, as it promises.
__attribute__((pure)) int twice(global int* a) {
  int sum[2] = {a[0], a[0]};
  return sum[0] + sum[1];
}

kernel void k(global int* a) { a[1] = twice(a); }
