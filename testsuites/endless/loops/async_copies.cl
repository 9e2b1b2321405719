// Copies of the work-group.
kernel void k(global int* o, local int* l) {
  const int me = get_global_id(0), mine = get_local_id(0);
  o[me] = 7;
  if (me == 5) o[100000] = 1;
  for (;;) {
    event_t event = async_work_group_copy(l, o + 32, 16, 0);
    wait_group_events(1, &event);
    barrier(CLK_LOCAL_MEM_FENCE);
  }
}
