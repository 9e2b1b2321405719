// run: -g 16 -l 16 --sub-group-size 8 --forward-progress sub-group -a 'int[2]=0' -a 'int[1]=0'
kernel void count(volatile global int* lock, global int* total) {
  const int mine = atomic_inc(&lock[0]);
  // Who is next stands behind the loop, in the same sub-group.
  while (atomic_add(&lock[1], 0) != mine) {}
  mem_fence(CLK_GLOBAL_MEM_FENCE);
  *total += 1;
  mem_fence(CLK_GLOBAL_MEM_FENCE);
  atomic_inc(&lock[1]);
}
