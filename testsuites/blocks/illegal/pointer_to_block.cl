// refused: is invalid in OpenCL
typedef int (^block_t)(int);
kernel void k(global int *x) {
  block_t a = ^(int n) { return n; };
  private block_t *p = 0;
  *x = p == 0;
}
