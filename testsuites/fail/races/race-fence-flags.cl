// run: -g 64 -l 64 -a 'int[64]=0'
// The barrier orders global memory, the values are in local memory.

kernel void reverse(global int* out) {
  local int row[64];
  const size_t i = get_local_id(0);
  row[i] = (int)i;
  barrier(CLK_GLOBAL_MEM_FENCE);
  out[i] = row[63 - i];
}
