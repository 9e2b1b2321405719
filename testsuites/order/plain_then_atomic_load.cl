// A plain load races with the other work-item's atomic store, also where an atomic load comes after it.
// run: -g 2 -l 1 -a 'int[1]=0' -a 'int[2]=0'
// run: -g 2 -l 2 -a 'int[1]=0' -a 'int[2]=0' --explore all
// due: race-mixed-atomic
kernel void f(global atomic_int *x, global int *out)
{
  if (get_global_id(0) == 0) {
    out[0] = *(volatile global int *)x;
    out[1] = atomic_load_explicit(x, memory_order_relaxed, memory_scope_device);
  } else {
    atomic_store_explicit(x, 2, memory_order_relaxed, memory_scope_device);
  }
}
