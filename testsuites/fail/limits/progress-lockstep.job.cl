// run: --job progress-lockstep.job.json
kernel void count(global int* lock, global int* total) {
  // The holder goes on to the work when the others of its sub-group have left the loop: never.
  while (atomic_cmpxchg(lock, 0, 1) != 0) {}
  mem_fence(CLK_GLOBAL_MEM_FENCE);
  *total += 1;
  mem_fence(CLK_GLOBAL_MEM_FENCE);
  atomic_xchg(lock, 0);
}
