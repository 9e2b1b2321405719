// run: -g 64 -l 64 -a 'int[64]=0'
// Every work-item comes to the barrier once, but each in another iteration.

kernel void wave(global int* out) {
  const size_t i = get_local_id(0);
  for (int step = 0; step < 64; ++step) {
    if (step == i) barrier(CLK_LOCAL_MEM_FENCE);
  }
  out[i] = 1;
}
