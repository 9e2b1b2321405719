// cost: -g 32 -l 16 --sub-group-size 4 --threads 1 --seed 1 -a 'int[32]=0'
// Sub-groups meet MEETINGS times.
kernel void f(global int *out)
{
  local int counts[16];
  const uint l = get_local_id(0);
  counts[l] = l;
  for (int i = 0; i < MEETINGS; ++i) {
#ifndef ALONE
    sub_group_barrier(CLK_LOCAL_MEM_FENCE);
#endif
    counts[l] += 1;
  }
  out[get_global_id(0)] = counts[l];
}
