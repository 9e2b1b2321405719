// run: -g 32 -l 32 --sub-group-size 16 -a 'int[32]=0' -a uint=1
kernel void wait(global int* out, uint flags) {
  const uint i = get_local_id(0);
  out[i] = i;
  sub_group_barrier(i == 20 ? CLK_GLOBAL_MEM_FENCE : flags);
}
