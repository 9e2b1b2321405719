// Prefix sums of sub-groups in local memory, with barriers of the sub-group.
//
// Source: W. D. Hillis, G. L. Steele, Data Parallel Algorithms, CACM 29(12), 1986; OpenCL API 3.3.9.
// Launch: two sub-groups of four work-items.
// Weakened: FLAGS=CLK_GLOBAL_MEM_FENCE: the sums are in local memory.
#pragma OPENCL EXTENSION cl_khr_subgroups : enable

#ifndef FLAGS
#define FLAGS CLK_LOCAL_MEM_FENCE
#endif

kernel void f(global const uint *in, global uint *out)
{
  local uint sums[8];
  const uint l = get_local_id(0);
  const uint lane = get_sub_group_local_id();
  sums[l] = in[l];
  for (uint step = 1; step < get_sub_group_size(); step *= 2) {
    sub_group_barrier(FLAGS);
    const uint before = lane >= step ? sums[l - step] : 0;
    sub_group_barrier(FLAGS);
    sums[l] += before;
  }
  out[l] = sums[l];
}
