// run: -g 4 -l 2 -a 'int[4]=0' -a 'int[2]=0'
kernel void parent(global int* values, global int* out) {
  const size_t group = get_group_id(0);
  values[get_global_id(0)] = 1;
  // The block waits for its own work-group only, and reads what the other one writes.
  if (get_local_id(0) == 0)
    enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_WAIT_WORK_GROUP, ndrange_1D(1),
                   ^{ out[group] = values[2 * (1 - group)]; });
}
