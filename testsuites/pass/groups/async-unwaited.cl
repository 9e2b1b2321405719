// run: -g 64 -l 64 -a 'int[64]=0'
// The work-group waits for the copy.

kernel void store(global int* out) {
  local int tile[64];
  const size_t i = get_local_id(0);
  tile[i] = (int)i;
  barrier(CLK_LOCAL_MEM_FENCE);
  event_t copied = async_work_group_copy(out, tile, 64, 0);
  wait_group_events(1, &copied);
}
