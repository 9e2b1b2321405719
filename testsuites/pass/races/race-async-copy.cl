// run: -g 4 -l 4 -a 'int[4]=7' -a 'int[4]=0' -a 'local(16)'
kernel void copy(global int* in, global int* out, local int* scratch) {
  event_t done = async_work_group_copy(scratch, in, 4, 0);
  wait_group_events(1, &done);
  out[get_local_id(0)] = scratch[get_local_id(0)];
}
