// run: -g 2 -l 2 -a 'int[2]=0'
kernel void flags(global int* out) {
  // Each work-item asks for another fence.
  uint fence = get_local_id(0) == 0 ? CLK_LOCAL_MEM_FENCE : CLK_GLOBAL_MEM_FENCE;
  barrier(fence);
  out[get_global_id(0)] = 1;
}
