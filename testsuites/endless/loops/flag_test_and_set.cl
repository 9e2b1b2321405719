// A lock of an atomic_flag.
kernel void k(global int* o, local int* l) {
  const int me = get_global_id(0), mine = get_local_id(0);
  o[me] = 7;
  if (me == 5) o[100000] = 1;
  l[mine] = mine;
  volatile global atomic_flag* f = (volatile global atomic_flag*)&o[33];
  for (;;) {
    while (atomic_flag_test_and_set_explicit(f, memory_order_acquire, memory_scope_device))
      ;
    o[34] += 1;
    atomic_flag_clear_explicit(f, memory_order_release, memory_scope_device);
  }
}
