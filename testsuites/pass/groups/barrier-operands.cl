// run: -g 2 -l 2 -a 'int[2]=0'
kernel void flags(global int* out) {
  uint fence = get_local_size(0) == 2 ? CLK_LOCAL_MEM_FENCE : CLK_GLOBAL_MEM_FENCE;
  barrier(fence);
  out[get_global_id(0)] = 1;
}
