// run: -g 16 -l 16 -a 'int[16]=1' -a 'int[16]=0' -a 'local(64)' --sub-group-sizes 8,16
// Sums of sub-groups of any size, and then their sum.
kernel void sum(const global int* in, global int* out, local int* sums) {
  const int i = get_global_id(0);
  const int own = sub_group_reduce_add(in[i]);
  if (get_sub_group_local_id() == 0) sums[get_sub_group_id()] = own;
  barrier(CLK_LOCAL_MEM_FENCE);
  int all = 0;
  for (uint j = 0; j < get_num_sub_groups(); ++j) all += sums[j];
  out[i] = all;
}
