// run: -k k -g 2 -l 2 -a 'int[2]=0'
// The same, by way of an integer.
kernel void k(global int* a) {
  local ulong slot[2];
  const int id = (int)get_local_id(0);
  int mine[2] = {id, 7};
  const ulong address = (ulong)&mine[0] + 4 * id;
  slot[1 - id] = address;
  barrier(CLK_LOCAL_MEM_FENCE);
  a[id] = *(private int*)slot[id];
}
