// run: -g 64 -l 64 -a 'int[64]=0'
// A fence for global memory; a barrier may do without.

kernel void publish(global int* out) {
  const size_t i = get_local_id(0);
  out[i] = (int)i;
  atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, memory_order_release, memory_scope_device);
  work_group_barrier(0);
}
