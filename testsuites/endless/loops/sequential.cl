// All of it in one order.
kernel void k(global int* o, local int* l) {
  const int me = get_global_id(0), mine = get_local_id(0);
  o[me] = 7;
  if (me == 5) o[100000] = 1;
  global atomic_int* a = (global atomic_int*)(o + 32);
  for (int i = 0;; ++i) {
    atomic_store(a + me, i);
    atomic_fetch_add(a + ((me + 1) & 31), 1);
  }
}
