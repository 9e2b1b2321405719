// The scope of one work-item includes no other: the two atomic operations race.
// run: -g 2 -l 1 -a 'int[1]=0' -a 'int[1]=0'
// due: race-scope
kernel void f(global atomic_int *x, global int *out)
{
  if (get_global_id(0) == 0)
    atomic_store_explicit(x, 1, memory_order_relaxed, memory_scope_work_item);
  else
    *out = atomic_load_explicit(x, memory_order_relaxed, memory_scope_work_item);
}
