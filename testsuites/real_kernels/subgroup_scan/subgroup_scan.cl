// An exclusive prefix sum: scans of sub-groups, of their totals in a work-group, and of the groups' totals.
#pragma OPENCL EXTENSION cl_khr_subgroups : enable

__attribute__((intel_reqd_sub_group_size(8)))
kernel void scan_groups(global const uint *in, global uint *out, global uint *totals, uint n,
                        local uint *sums) {
  const uint i = get_global_id(0);
  const uint x = i < n ? in[i] : 0;
  const uint inclusive = sub_group_scan_inclusive_add(x);
  const uint mine = get_sub_group_id();
  const uint lane = get_sub_group_local_id();
  // The last sub-group of a work-group is smaller than the others.
  if (lane == get_sub_group_size() - 1) sums[mine] = inclusive;
  barrier(CLK_LOCAL_MEM_FENCE);

  if (mine == 0) {
    const uint count = get_num_sub_groups();
    uint carried = 0;
    for (uint first = 0; first < count; first += get_max_sub_group_size()) {
      const uint sum = first + lane < count ? sums[first + lane] : 0;
      const uint before = carried + sub_group_scan_exclusive_add(sum);
      carried += sub_group_reduce_add(sum);
      if (first + lane < count) sums[first + lane] = before;
    }
    if (lane == 0) totals[get_group_id(0)] = carried;
  }
  barrier(CLK_LOCAL_MEM_FENCE);

  if (i < n) out[i] = sums[mine] + inclusive - x;
}

// One work-group of one sub-group.
__attribute__((intel_reqd_sub_group_size(8)))
kernel void scan_totals(global uint *totals, uint count) {
  uint carried = 0;
  for (uint first = 0; first < count; first += get_sub_group_size()) {
    const uint at = first + get_sub_group_local_id();
    const uint total = at < count ? totals[at] : 0;
    const uint before = sub_group_scan_exclusive_add(total);
    if (at < count) totals[at] = carried + before;
    // The last work-item knows what the next round begins with.
    carried += sub_group_broadcast(before + total, get_sub_group_size() - 1);
  }
}

__attribute__((intel_reqd_sub_group_size(8)))
kernel void add_totals(global uint *out, global const uint *totals, uint n, uint group_size) {
  const uint i = get_global_id(0);
  if (i < n) out[i] += totals[i / group_size];
}
