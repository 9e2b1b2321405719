// Everything by turns.
#pragma OPENCL EXTENSION cl_khr_subgroups : enable
kernel void k(global int* o, local int* l) {
  const int me = get_global_id(0), mine = get_local_id(0);
  o[me] = 7;
  if (me == 5) o[100000] = 1;
  for (int i = 0;; ++i) {
    atomic_inc(o + 40);
    sub_group_barrier(CLK_LOCAL_MEM_FENCE);
    l[mine] = i;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (work_group_any(l[mine ^ 1] < 0)) printf("no");
  }
}
