// run: -g 1 -a 'int[1]=0' -a 'local(4)'
kernel void count(global int* out, local atomic_int* counter) {
  // Nothing gave the counter its first value.
  if (atomic_fetch_add_explicit(counter, 1, memory_order_relaxed, memory_scope_work_group) == 0) {
    out[0] = 1;
  }
}
