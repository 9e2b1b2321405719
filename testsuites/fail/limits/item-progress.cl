// run: -g 8 -l 8 -a 'int[1]=0' -a 'int[1]=0'
kernel void count(global int* lock, global int* total) {
  // The holder goes on to the work when it has left the loop, which the others do not.
  while (atomic_cmpxchg(lock, 0, 1) != 0) {}
  mem_fence(CLK_GLOBAL_MEM_FENCE);
  *total += 1;
  mem_fence(CLK_GLOBAL_MEM_FENCE);
  atomic_xchg(lock, 0);
}
