// run: -g 4 -l 4 -a 'int[4]=0' -a 'int[4]=0'
kernel void neighbour(global int* data, global int* out) {
  size_t i = get_local_id(0);
  data[i] = 1;
  barrier(CLK_GLOBAL_MEM_FENCE);
  out[i] = data[3 - i];
}
