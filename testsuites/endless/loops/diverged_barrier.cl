// Work-items come to the barrier by two ways.
kernel void k(global int* o, local int* l) {
  const int me = get_global_id(0), mine = get_local_id(0);
  o[me] = 7;
  if (me == 5) o[100000] = 1;
  l[mine] = mine;
  for (int i = 0;; ++i) {
    if (((i + mine) & 15) != 0) {
      barrier(CLK_LOCAL_MEM_FENCE);
      l[mine] += 1;
    } else {
      barrier(CLK_LOCAL_MEM_FENCE);
      o[32 + me] = i;
    }
  }
}
