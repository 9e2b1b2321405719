// Work-item 1's load of x happens before work-item 2's, which must not see an older value: the null store is not reached.
// run: -g 3 -l 1 -a 'int[1]=0' -a 'int[1]=0' --many-seeds 100
// run: -g 3 -l 1 -a 'int[1]=0' -a 'int[1]=0' --explore all
// due: nothing
kernel void f(global atomic_int *x, global atomic_int *y)
{
  size_t i = get_global_id(0);
  if (i == 0)
    atomic_store_explicit(x, 1, memory_order_relaxed, memory_scope_device);
  else if (i == 1) {
    if (atomic_load_explicit(x, memory_order_relaxed, memory_scope_device) == 1)
      atomic_store_explicit(y, 1, memory_order_release, memory_scope_device);
  } else {
    if (atomic_load_explicit(y, memory_order_acquire, memory_scope_device) == 1)
      if (atomic_load_explicit(x, memory_order_relaxed, memory_scope_device) == 0)
        *(global int *)0 = 1;
  }
}
