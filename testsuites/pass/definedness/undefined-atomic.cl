// run: -g 1 -a 'int[1]=0' -a 'local(4)'
kernel void count(global int* out, local atomic_int* counter) {
  atomic_init(counter, 0);
  barrier(CLK_LOCAL_MEM_FENCE);
  if (atomic_fetch_add_explicit(counter, 1, memory_order_relaxed, memory_scope_work_group) == 0) {
    out[0] = 1;
  }
}
