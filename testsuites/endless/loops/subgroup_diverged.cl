// Sub-groups of which a part goes its own way.
#pragma OPENCL EXTENSION cl_khr_subgroup_non_uniform_vote : enable
kernel void k(global int* o, local int* l) {
  const int me = get_global_id(0), mine = get_local_id(0);
  o[me] = 7;
  if (me == 5) o[100000] = 1;
  for (int x = me;; ++x) {
    if (x & 1) x += sub_group_non_uniform_all(x == -1);
    else x += sub_group_non_uniform_any(x == -1);
  }
}
