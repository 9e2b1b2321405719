// run: -g 8 -l 8 -a 'int[9]=0'
kernel void shift(global int* data) {
  size_t i = get_local_id(0);
  int value = data[i];
  barrier(CLK_GLOBAL_MEM_FENCE);
  data[i + 1] = value;
}
