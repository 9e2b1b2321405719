// An acquire whose result is not used: a later relaxed load shows that it has read the release.
// run: -g 2 -l 1 -a 'int[1]=0' -a 'int[1]=0' -a 'int[1]=0'
// run: -g 2 -l 1 -a 'int[1]=0' -a 'int[1]=0' -a 'int[1]=0' --many-seeds 20
// run: -g 2 -l 1 -a 'int[1]=0' -a 'int[1]=0' -a 'int[1]=0' --explore all
// due: nothing
kernel void f(global int *data, global atomic_int *x, global int *out)
{
  if (get_global_id(0) == 0) {
    *data = 5;
    atomic_store_explicit(x, 1, memory_order_release, memory_scope_device);
  } else {
    atomic_fetch_add_explicit(x, 10, memory_order_acquire, memory_scope_device);
    if (atomic_load_explicit(x, memory_order_relaxed, memory_scope_device) == 11) *out = *data;
  }
}
