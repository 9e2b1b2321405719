// The work-group meets, and exchanges values.
kernel void k(global int* o, local int* l) {
  const int me = get_global_id(0), mine = get_local_id(0);
  o[me] = 7;
  if (me == 5) o[100000] = 1;
  for (;;) {
    l[mine] = me;
    barrier(CLK_LOCAL_MEM_FENCE);
    const int other = l[mine ^ 1];
    barrier(CLK_LOCAL_MEM_FENCE);
    l[mine] = other;
  }
}
