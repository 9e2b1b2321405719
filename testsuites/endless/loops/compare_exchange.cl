// A work-item tries again whenever another one came first.
kernel void k(global int* o, local int* l) {
  const int me = get_global_id(0), mine = get_local_id(0);
  o[me] = 7;
  if (me == 5) o[100000] = 1;
  for (int old = 0;;) old = atomic_cmpxchg(o + 40, old, old + 1);
}
