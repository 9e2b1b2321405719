// run: --max-children 16777216
// A kernel that enqueues kernels, and these more.
void next(global int* o, int depth) {
  void (^again)(void) = ^{ o[40] = depth; };
  enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(1), again);
}
kernel void k(global int* o, local int* l) {
  const int me = get_global_id(0);
  o[me] = 7;
  if (me == 5) o[100000] = 1;
  for (int i = 0;; ++i) next(o, i);
}
