// refused: blocks with parameters are not accepted
kernel void k(global int *x) {
  enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(1), ^(local void *n) { *x = n != 0; });
}
