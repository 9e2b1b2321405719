// A kernel and the block that it has enqueued exchange a message: one only releases, the other one only acquires.
// run: -g 1 -a 'int[1]=0' -a 'int[1]=0' -a 'int[1]=0' --many-seeds 10
// due: nothing
kernel void f(global int *data, global atomic_int *x, global int *out)
{
  void (^receive)(void) = ^{
    if (atomic_load_explicit(x, memory_order_acquire, memory_scope_device)) *out = *data;
  };
  enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(1), receive);
  *data = 5;
  atomic_store_explicit(x, 1, memory_order_release, memory_scope_device);
}
