// run: -g 64 -l 64 -a 'int[64]=0'
// The branches join before the barrier.

kernel void swap(global int* out) {
  local int row[64];
  const size_t i = get_local_id(0);
  if (i % 2 == 0) {
    row[i] = 1;
  } else {
    row[i] = 2;
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  out[i] = row[i ^ 1];
}
