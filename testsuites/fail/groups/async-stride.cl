// run: -g 64 -l 64 -a 'int[64]=range(0,1)' -a 'int[64]=0' -a ulong=64
// From 64 columns on the stride is 0, which is undefined even where one element would do.

kernel void column(global const int* in, global int* out, ulong columns) {
  local int tile[64];
  const size_t i = get_local_id(0);
  event_t copied = async_work_group_strided_copy(tile, in, 1, 64 - columns, 0);
  wait_group_events(1, &copied);
  if (i == 0) out[0] = tile[0];
}
