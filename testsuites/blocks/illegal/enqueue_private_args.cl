// refused: parameters of type 'local void*'
kernel void k(global int *x) {
  enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(1), ^(int n) { *x = n; }, 4);
}
