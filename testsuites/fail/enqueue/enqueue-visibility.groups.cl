// run: -g 4 -l 2 -a 'int[4]=0' -a 'int[2]=0'
kernel void parent(global int* values, global int* out) {
  const size_t group = get_group_id(0), other = 1 - group;
  queue_t queue = get_default_queue();
  values[get_global_id(0)] = 1;
  if (get_local_id(0) != 0) return;
  // The block waits for its own work-group only, and reads what the other one writes.
  const int flags = CLK_ENQUEUE_FLAGS_WAIT_WORK_GROUP;
  enqueue_kernel(queue, flags, ndrange_1D(1), ^{ out[group] = values[2 * other]; });
}
