// One work-item waits, and the others have returned.
kernel void k(global int* o, local int* l) {
  const int me = get_global_id(0), mine = get_local_id(0);
  o[me] = 7;
  if (me == 5) o[100000] = 1;
  l[mine] = mine;
  if (mine != 3) return;
  volatile local int* v = l;
  for (;;) {
    if (v[4] == 99) break;
    o[32] += 1;
  }
}
