// run: -g 4 -l 4 -a 'uint[1]=0' --cl-version 3.0
kernel void count(global atomic_uint* counter) {
  // Both reach the other work-items; before OpenCL 3.1 they had to be the same, too.
  if (get_local_id(0) == 0) {
    atomic_fetch_add_explicit(counter, 1, memory_order_relaxed, memory_scope_device);
  } else {
    atomic_fetch_add_explicit(counter, 1, memory_order_relaxed, memory_scope_work_group);
  }
}
