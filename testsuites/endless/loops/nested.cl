// A loop in a loop in a loop.
kernel void k(global int* o, local int* l) {
  const int me = get_global_id(0), mine = get_local_id(0);
  o[me] = 7;
  if (me == 5) o[100000] = 1;
  l[mine] = mine;
  for (;;)
    for (int i = 0; i < 1000000; ++i)
      for (int j = 0; j < 1000000; ++j) l[mine] += i ^ j;
}
