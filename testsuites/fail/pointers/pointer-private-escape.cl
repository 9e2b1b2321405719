// run: -k k -g 2 -l 2 -a 'int[2]=0'
// Each work-item uses the address of the other one's private variable.
kernel void k(global int* a) {
  private int* local slot[2];
  const int id = (int)get_local_id(0);
  int mine[2] = {id, 7};
  slot[1 - id] = &mine[id];
  barrier(CLK_LOCAL_MEM_FENCE);
  a[id] = *slot[id];
}
