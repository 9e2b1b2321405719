// A wait for a number that is never reached.
kernel void k(global int* o, local int* l) {
  const int me = get_global_id(0), mine = get_local_id(0);
  o[me] = 7;
  if (me == 5) o[100000] = 1;
  global atomic_int* a = (global atomic_int*)(o + 40);
  while (atomic_fetch_add(a, 1) != -1 || atomic_fetch_sub(a, 1) >= 0) ;
}
