// run: -g 16 -l 16 --sub-group-size 8 --forward-progress none -a 'int[1]=0' -a 'int[1]=0'
kernel void count(global int* lock, global int* total) {
  // One work-item of each sub-group: but sub-groups need not make progress, either.
  if (get_local_id(0) % 8 != 0) return;
  while (atomic_cmpxchg(lock, 0, 1) != 0) {}
  mem_fence(CLK_GLOBAL_MEM_FENCE);
  *total += 1;
  mem_fence(CLK_GLOBAL_MEM_FENCE);
  atomic_xchg(lock, 0);
}
