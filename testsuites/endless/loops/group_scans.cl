// Scans and broadcasts of the work-group.
kernel void k(global int* o, local int* l) {
  const int me = get_global_id(0), mine = get_local_id(0);
  o[me] = 7;
  if (me == 5) o[100000] = 1;
  l[mine] = mine;
  int x = mine;
  for (;;) {
    x = work_group_scan_inclusive_add(x & 1) + work_group_broadcast(x, 3) + work_group_all(x);
    o[32 + me] = x;
  }
}
