// run: -g 64 -l 64 -a 'int[64]=0'
// Work-items work in different iterations, but all come to the barrier in each.

kernel void wave(global int* out) {
  const size_t i = get_local_id(0);
  for (int step = 0; step < 64; ++step) {
    if (step == i) out[i] = step;
    barrier(CLK_LOCAL_MEM_FENCE);
  }
}
