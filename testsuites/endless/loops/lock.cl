// A lock that all work-items take again and again.
kernel void k(global int* o, local int* l) {
  const int me = get_global_id(0), mine = get_local_id(0);
  o[me] = 7;
  if (me == 5) o[100000] = 1;
  for (;;) {
    while (atomic_cmpxchg(o + 40, 0, 1) != 0) ;
    l[0] = me;
    atomic_xchg(o + 40, 0);
  }
}
