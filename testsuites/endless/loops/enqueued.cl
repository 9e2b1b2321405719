// The kernel ends; one that it enqueued never does.
kernel void k(global int* o, local int* l) {
  const int me = get_global_id(0);
  o[me] = 7;
  if (me == 5) o[100000] = 1;
  if (me == 0) {
    enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_WAIT_KERNEL, ndrange_1D(4), ^{
      for (;;) atomic_inc(o + 40);
    });
  }
}
