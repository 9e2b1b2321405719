// run: -g 4 -l 4 -a 'int[4]=7' -a 'local(16)'
kernel void twice(global int* data, local int* scratch) {
  event_t done = async_work_group_copy(scratch, data, 4, 0);
  wait_group_events(1, &done);
  wait_group_events(1, &done);  // it was released by the first wait
}
