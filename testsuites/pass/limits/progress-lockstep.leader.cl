// run: -g 32 -l 32 --sub-group-size 8 --forward-progress sub-group -a 'int[1]=0' -a 'int[1]=0'
kernel void count(global int* lock, global int* total) {
  // One work-item of each sub-group takes the lock: sub-groups make progress.
  if (get_local_id(0) % 8 != 0) return;
  while (atomic_cmpxchg(lock, 0, 1) != 0) {}
  mem_fence(CLK_GLOBAL_MEM_FENCE);
  *total += 8;
  mem_fence(CLK_GLOBAL_MEM_FENCE);
  atomic_xchg(lock, 0);
}
