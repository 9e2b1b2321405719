// run: -g 64 -l 64 -a 'int[64]=range(0,1)' -a 'int[64]=0'
// All work-items give the same arguments.

kernel void load(global const int* in, global int* out) {
  local int tile[64];
  const size_t i = get_local_id(0);
  event_t copied = async_work_group_copy(tile, in, 64, 0);
  wait_group_events(1, &copied);
  out[i] = tile[i];
}
