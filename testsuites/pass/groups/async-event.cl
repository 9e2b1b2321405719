// run: -g 4 -l 4 -a 'int[4]=7' -a 'local(16)'
kernel void twice(global int* data, local int* scratch) {
  event_t done = async_work_group_copy(scratch, data, 2, 0);
  done = async_work_group_copy(scratch + 2, data + 2, 2, done);
  wait_group_events(1, &done);
}
