// run: -g 2 -l 2 -a 'int[2]=0'
// also: barrier-divergence
kernel void wait(global int* out) {
  // Each waits at a barrier that the other never comes to.
  if (get_local_id(0) == 0) {
    barrier(CLK_LOCAL_MEM_FENCE);
    out[0] = 1;
  } else {
    barrier(CLK_GLOBAL_MEM_FENCE);
    out[1] = 1;
  }
}
