// run: -g 1 -a 'int[1]=0'
kernel void fence(global int* out) {
  out[0] = 1;
  atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, memory_order_release, memory_scope_device);
}
