// The sub-group meets, and exchanges values.
#pragma OPENCL EXTENSION cl_khr_subgroups : enable
kernel void k(global int* o, local int* l) {
  const int me = get_global_id(0), mine = get_local_id(0);
  o[me] = 7;
  if (me == 5) o[100000] = 1;
  l[mine] = mine;
  for (;;) {
    sub_group_barrier(CLK_LOCAL_MEM_FENCE);
    l[mine] += 1;
    sub_group_barrier(CLK_LOCAL_MEM_FENCE);
    o[32 + me] = l[mine ^ 1];
  }
}
