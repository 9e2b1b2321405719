// The scope of the first exchange does not include the other work-group; the second one's does.
// run: -g 2 -l 1 -a 'int[1]=0' -a 'int[1]=0'
// run: -g 2 -l 1 -a 'int[1]=0' -a 'int[1]=0' --explore all
// due: race-scope
kernel void f(global atomic_int *x, global int *out)
{
  if (get_global_id(0) == 0) {
    atomic_exchange_explicit(x, 1, memory_order_relaxed, memory_scope_work_group);
    atomic_exchange_explicit(x, 2, memory_order_relaxed, memory_scope_device);
  } else {
    *out = atomic_load_explicit(x, memory_order_relaxed, memory_scope_device);
  }
}
