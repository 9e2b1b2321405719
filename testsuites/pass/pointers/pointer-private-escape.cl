// run: -g 2 -l 2 -a 'ulong[2]=0' -a 'int[2]=0'
kernel void share(global ulong* kept, global int* out) {
  int mine = (int)get_local_id(0);
  kept[mine] = (ulong)&mine;
  barrier(CLK_GLOBAL_MEM_FENCE);
  out[mine] = *(private int*)kept[mine];
}
