// Compare-and-swap of 64 bits.
#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable
#pragma OPENCL EXTENSION cl_khr_int64_extended_atomics : enable
kernel void k(global int* o, local int* l) {
  const int me = get_global_id(0), mine = get_local_id(0);
  o[me] = 7;
  if (me == 5) o[100000] = 1;
  l[mine] = mine;
  volatile global atomic_ulong* f = (volatile global atomic_ulong*)&o[34];
  for (;;) {
    ulong e = atomic_load(f);
    while (!atomic_compare_exchange_weak(f, &e, e * 3 + 1))
      ;
    atomic_fetch_max(f, 5ul);
  }
}
