// run: -g 8 -l 8 --forward-progress none --build-options -cl-std=CL3.0 -a 'int[8]=0' -a 'int[8]=0'
kernel void hand_on(global atomic_int* ready, global int* sum) {
  const int me = get_local_id(0);
  int before = 0;
  if (me != 0) {
    // The neighbour sets its flag when the others have left the loop.
    while (atomic_load_explicit(&ready[me - 1], memory_order_acquire,
                                memory_scope_work_group) == 0) {}
    before = sum[me - 1];
  }
  sum[me] = before + me;
  atomic_store_explicit(&ready[me], 1, memory_order_release, memory_scope_work_group);
}
