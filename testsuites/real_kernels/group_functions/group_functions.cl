// OpenCL 2.0 work-group functions: samples above the group's mean are packed to the front of its part, with
// a header that tells how many and whether all samples are valid.
kernel void pack_above_mean(global const int *samples, global int *packed, global int4 *header,
                            int invalid) {
  const size_t group = get_group_id(0);
  const size_t base = group * get_enqueued_local_size(0);
  const size_t i = get_global_id(0);
  const int x = samples[i];
  // Not get_enqueued_local_size: the last group may be smaller.
  const int size = get_local_size(0);

  const int sum = work_group_reduce_add(x);
  const int mean = sum / size;
  const int keep = x > mean;
  const int place = work_group_scan_exclusive_add(keep);
  const int kept = work_group_reduce_add(keep);
  if (keep) packed[base + place] = x;

  const int clean = work_group_all(x != invalid);
  const int highest = work_group_scan_inclusive_max(x);
  // The last work-item's inclusive maximum is that of the group.
  const int maximum = work_group_broadcast(highest, get_local_size(0) - 1);
  if (get_local_id(0) == 0) header[group] = (int4)(kept, mean, maximum, clean);
}
