// Keeps what is above a threshold, by ballots: in order with a count for each sub-group, and in a bag into
// which one work-item of each sub-group reserves room for all of them.
#pragma OPENCL EXTENSION cl_khr_subgroups : enable
#pragma OPENCL EXTENSION cl_khr_subgroup_ballot : enable

uint subgroup_number(void) {
  return get_group_id(0) * get_enqueued_num_sub_groups() + get_sub_group_id();
}

__attribute__((intel_reqd_sub_group_size(16)))
kernel void count(global const int *in, uint n, int threshold, global uint *counts) {
  const uint i = get_global_id(0);
  const int keep = i < n && in[i] > threshold;
  const uint4 ballot = sub_group_ballot(keep);
  const uint kept = sub_group_ballot_bit_count(ballot);
  if (get_sub_group_local_id() == 0) counts[subgroup_number()] = kept;
}

// One sub-group.
__attribute__((intel_reqd_sub_group_size(16)))
kernel void place_counts(global uint *counts, uint count) {
  uint before = 0;
  for (uint first = 0; first < count; first += get_sub_group_size()) {
    const uint at = first + get_sub_group_local_id();
    const uint one = at < count ? counts[at] : 0;
    const uint place = before + sub_group_scan_exclusive_add(one);
    before += sub_group_reduce_add(one);
    if (at < count) counts[at] = place;
  }
}

__attribute__((intel_reqd_sub_group_size(16)))
kernel void move(global const int *in, uint n, int threshold, global const uint *places,
                 global int *out, volatile global uint *taken, global int *bag) {
  const uint i = get_global_id(0);
  const int keep = i < n && in[i] > threshold;
  const uint4 ballot = sub_group_ballot(keep);
  const uint rank = sub_group_ballot_exclusive_scan(ballot);
  const uint kept = sub_group_ballot_bit_count(ballot);
  if (keep) out[places[subgroup_number()] + rank] = in[i];

  if (kept != 0) {
    const uint leader = sub_group_ballot_find_lsb(ballot);
    uint base = 0;
    if (get_sub_group_local_id() == leader) base = atomic_add(taken, kept);
    base = sub_group_broadcast(base, leader);
    if (keep) bag[base + rank] = in[i];
  }
}

// One sub-group: the order in the bag hangs on who was first, and the sum does not.
__attribute__((intel_reqd_sub_group_size(16)))
kernel void sum_bag(global const int *bag, global const uint *taken, global int *sum) {
  int mine = 0;
  for (uint i = get_sub_group_local_id(); i < *taken; i += get_sub_group_size()) mine += bag[i];
  const int all = sub_group_reduce_add(mine);
  if (sub_group_elect()) *sum = all;
}
