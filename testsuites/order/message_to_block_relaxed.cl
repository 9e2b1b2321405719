// As message_to_block.cl, but the block's load is relaxed.
// run: -g 1 -a 'int[1]=0' -a 'int[1]=0' -a 'int[1]=0'
// due: enqueue-visibility
kernel void f(global int *data, global atomic_int *x, global int *out)
{
  void (^receive)(void) = ^{
    if (atomic_load_explicit(x, memory_order_relaxed, memory_scope_device)) *out = *data;
  };
  enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(1), receive);
  *data = 5;
  atomic_store_explicit(x, 1, memory_order_release, memory_scope_device);
}
