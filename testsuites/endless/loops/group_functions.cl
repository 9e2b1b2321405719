// Functions of the work-group.
kernel void k(global int* o, local int* l) {
  const int me = get_global_id(0), mine = get_local_id(0);
  o[me] = 7;
  if (me == 5) o[100000] = 1;
  for (int x = me;;) {
    x = work_group_reduce_max(x);
    x += work_group_scan_inclusive_add(mine);
    x = work_group_broadcast(x, 3);
    if (work_group_all(x == 0x7fff1234)) x = 1;
  }
}
