// run: -g 2 -l 2 -a 'ulong[1]=0'
// Atomic operations on one object are atomic to each other; these are on two that overlap.
kernel void count(global atomic_ulong* whole) {
  if (get_global_id(0) == 0)
    atomic_fetch_add_explicit(whole, 1ul, memory_order_relaxed, memory_scope_device);
  else
    atomic_fetch_add_explicit((global atomic_uint*)whole + 1, 1, memory_order_relaxed,
                              memory_scope_device);
}
