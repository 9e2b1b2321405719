// run: -g 1 -a 'int[1]=0'
kernel void fence(global int* out) {
  out[0] = 1;
  atomic_work_item_fence(0, memory_order_release, memory_scope_device);  // of no memory
}
