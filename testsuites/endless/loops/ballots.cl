// Sub-groups vote.
#pragma OPENCL EXTENSION cl_khr_subgroups : enable
#pragma OPENCL EXTENSION cl_khr_subgroup_ballot : enable
kernel void k(global int* o, local int* l) {
  const int me = get_global_id(0), mine = get_local_id(0);
  o[me] = 7;
  if (me == 5) o[100000] = 1;
  l[mine] = mine;
  uint x = mine;
  for (;;) {
    uint4 b = sub_group_ballot(x & 1);
    x += sub_group_ballot_bit_count(b) + sub_group_broadcast_first(x);
    o[32 + me] = x;
  }
}
