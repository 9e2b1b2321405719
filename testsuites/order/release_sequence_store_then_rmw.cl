// A relaxed read-modify-write of another work-item continues a release sequence.
// run: -g 3 -l 1 -a 'int[1]=0' -a 'int[1]=0' -a 'int[1]=9' --many-seeds 20
// run: -g 3 -l 1 -a 'int[1]=0' -a 'int[1]=0' -a 'int[1]=9' --explore all
// due: nothing
kernel void f(global int *data, global atomic_int *x, global int *out)
{
  size_t i = get_global_id(0);
  if (i == 0) {
    *data = 1;
    atomic_store_explicit(x, 1, memory_order_release, memory_scope_device);
  } else if (i == 1) {
    atomic_fetch_add_explicit(x, 1, memory_order_relaxed, memory_scope_device);
  } else {
    if (atomic_load_explicit(x, memory_order_acquire, memory_scope_device) == 2)
      *out = *data;
  }
}
