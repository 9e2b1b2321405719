// run: -g 64 -l 64 -a 'int[64]=0'
// The last work-item returns before the barrier that the others wait at.

kernel void shift(global int* out) {
  local int row[64];
  const size_t i = get_local_id(0);
  if (i == 63) return;
  row[i] = (int)i;
  barrier(CLK_LOCAL_MEM_FENCE);
  out[i] = i == 0 ? 0 : row[i - 1];
}
