// What the debugger's scripts look at: accesses of many elements at once.
kernel void gather(global const uchar* in, local uchar* part, global uchar* out) {
  event_t copied = async_work_group_strided_copy(part, in, 70000, 3, 0);
  wait_group_events(1, &copied);
  out[0] = part[69999];
}
