// run: -g 2 -l 2 -a 'ulong[1]=0'
// A barrier orders the two kinds.
kernel void count(global atomic_ulong* whole) {
  atomic_fetch_add_explicit(whole, 1ul, memory_order_relaxed, memory_scope_device);
  barrier(CLK_GLOBAL_MEM_FENCE);
  atomic_fetch_add_explicit((global atomic_uint*)whole + 1, 1, memory_order_relaxed,
                            memory_scope_device);
}
