// Two flags that nobody sets: no two turns after one another are alike.
kernel void k(global int* o, local int* l) {
  const int me = get_global_id(0), mine = get_local_id(0);
  o[me] = 7;
  if (me == 5) o[100000] = 1;
  global atomic_int* a = (global atomic_int*)(o + 40);
  while (atomic_load(a) == 0 && atomic_load(a + 1) == 0) {
    if (atomic_load(a + 2) == 5) break;
  }
}
