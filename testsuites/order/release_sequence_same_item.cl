// A release sequence goes on with later stores of the work-item that released (OpenCL API 3.3.6).
// run: -g 2 -l 1 -a 'int[1]=0' -a 'int[1]=0' -a 'int[1]=9'
// run: -g 2 -l 1 -a 'int[1]=0' -a 'int[1]=0' -a 'int[1]=9' --many-seeds 20
// due: nothing
kernel void f(global int *data, global atomic_int *x, global int *out)
{
  if (get_global_id(0) == 0) {
    *data = 1;
    atomic_store_explicit(x, 1, memory_order_release, memory_scope_device);
    atomic_store_explicit(x, 2, memory_order_relaxed, memory_scope_device);
  } else {
    if (atomic_load_explicit(x, memory_order_acquire, memory_scope_device) == 2)
      *out = *data;
  }
}
