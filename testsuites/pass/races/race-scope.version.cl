// run: -g 4 -l 4 -a 'uint[1]=0'
kernel void count(global atomic_uint* counter) {
  // Each reaches the other work-items, which is enough from OpenCL 3.1 on.
  if (get_local_id(0) == 0) {
    atomic_fetch_add_explicit(counter, 1, memory_order_relaxed, memory_scope_device);
  } else {
    atomic_fetch_add_explicit(counter, 1, memory_order_relaxed, memory_scope_work_group);
  }
}
