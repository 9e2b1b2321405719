// run: -g 64 -l 64 -a 'int[64]=range(0,1)' -a 'int[64]=0' -a ulong=64
// Every second element.

kernel void column(global const int* in, global int* out, ulong columns) {
  local int tile[64];
  const size_t i = get_local_id(0);
  event_t copied = async_work_group_strided_copy(tile, in, columns / 2, 2, 0);
  wait_group_events(1, &copied);
  if (i < columns / 2) out[i] = tile[i];
}
