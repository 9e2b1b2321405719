// run: -g 64 -l 64 -a 'int[64]=0'
// A barrier before each step.

kernel void reduce(global int* out) {
  local int sums[64];
  const size_t i = get_local_id(0);
  sums[i] = (int)i;
  for (size_t step = 32; step > 0; step /= 2) {
    barrier(CLK_LOCAL_MEM_FENCE);
    if (i < step) sums[i] += sums[i + step];
  }
  if (i == 0) out[0] = sums[0];
}
