// run: -g 2 -l 2 -a 'int[2]=0'
kernel void rounds(global int* out) {
  for (int round = 0; round < 3; ++round) {
    if (round == 0) continue;
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  out[get_global_id(0)] = 1;
}
