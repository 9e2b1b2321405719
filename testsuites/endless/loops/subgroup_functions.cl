// Functions of the sub-group.
#pragma OPENCL EXTENSION cl_khr_subgroups : enable
kernel void k(global int* o, local int* l) {
  const int me = get_global_id(0), mine = get_local_id(0);
  o[me] = 7;
  if (me == 5) o[100000] = 1;
  for (int x = me;;) {
    x = sub_group_reduce_min(x);
    x += sub_group_scan_exclusive_add(mine);
    x = sub_group_broadcast(x, 1);
    if (sub_group_any(x == 0x7fff1234)) x = 1;
  }
}
