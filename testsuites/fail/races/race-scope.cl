// run: -g 4 -l 2 -a 'uint[1]=0'
kernel void count(global atomic_uint* counter) {
  // Two work-groups, and a scope of one.
  atomic_fetch_add_explicit(counter, 1, memory_order_relaxed, memory_scope_work_group);
}
