// run: -k k -g 2 -l 2 -a 'int[2]=0'
// Each work-item takes back the address that it has put there.
kernel void k(global int* a) {
  private int* local slot[2];
  const int id = (int)get_local_id(0);
  int mine[2] = {id, 7};
  slot[id] = &mine[id];
  barrier(CLK_LOCAL_MEM_FENCE);
  a[id] = *slot[id];
}
