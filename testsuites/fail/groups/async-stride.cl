// run: -g 4 -l 4 -a 'int[4]=7' -a 'local(16)' -a ulong=0
kernel void gather(global int* data, local int* scratch, ulong stride) {
  // A stride of 0 is not allowed.
  event_t done = async_work_group_strided_copy(scratch, data, 2, stride, 0);
  wait_group_events(1, &done);
}
