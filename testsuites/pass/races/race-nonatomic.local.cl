// run: -g 8 -l 8 -a 'int[8]=range(0,1)' -a 'local(32)'
kernel void reduce(global int* data, local int* scratch) {
  size_t i = get_local_id(0);
  scratch[i] = data[i];
  for (size_t step = 4; step > 0; step /= 2) {
    barrier(CLK_LOCAL_MEM_FENCE);
    if (i < step) scratch[i] += scratch[i + step];
  }
  if (i == 0) data[0] = scratch[0];
}
