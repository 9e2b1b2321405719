// The same in global memory.
kernel void k(global int* o, local int* l) {
  const int me = get_global_id(0), mine = get_local_id(0);
  o[me] = 7;
  if (me == 5) o[100000] = 1;
  for (;;) {
    o[32 + me] = me;
    barrier(CLK_GLOBAL_MEM_FENCE);
    const int other = o[32 + (me ^ 1)];
    barrier(CLK_GLOBAL_MEM_FENCE);
    o[32 + me] = other;
  }
}
