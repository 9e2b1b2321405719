// run: -g 2 -l 2 -a 'int[2]=0'
kernel void rounds(global int* out) {
  // Work-item 1 leaves out the first round, and so its first is the other's second.
  for (int round = 0; round < 3; ++round) {
    if (round == 0 && get_local_id(0) == 1) continue;
    if (round == 2 && get_local_id(0) == 0) continue;
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  out[get_global_id(0)] = 1;
}
