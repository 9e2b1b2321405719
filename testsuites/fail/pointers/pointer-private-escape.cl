// run: -g 2 -l 2 -a 'ulong[1]=0' -a 'int[2]=0'
kernel void share(global ulong* kept, global int* out) {
  int mine = (int)get_local_id(0);
  if (mine == 0) kept[0] = (ulong)&mine;
  barrier(CLK_GLOBAL_MEM_FENCE);
  // Work-item 1 reads a private variable of work-item 0.
  if (mine == 1) out[1] = *(private int*)kept[0];
}
