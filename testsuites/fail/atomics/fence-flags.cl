// run: -g 64 -l 64 -a 'int[64]=0'
// A fence must say which memory it orders.

kernel void publish(global int* out) {
  const size_t i = get_local_id(0);
  out[i] = (int)i;
  atomic_work_item_fence(0, memory_order_release, memory_scope_device);
}
