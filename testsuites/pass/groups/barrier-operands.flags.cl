// run: -g 64 -l 64 --sub-group-size 16 -a 'local(256)' -a 'int[64]=0' -a uint=1
// Flags that are not known before the kernel runs, and are the same in all work-items.
void meet(uint flags) { work_group_barrier(flags, memory_scope_work_group); }
kernel void swap(local int* tile, global int* out, uint flags) {
  const uint i = get_local_id(0);
  tile[i] = i;
  barrier(flags);
  const int other = tile[i ^ 1];
  meet(flags | CLK_GLOBAL_MEM_FENCE);
  tile[i] = other;
  sub_group_barrier(flags);
  out[i] = tile[i ^ 2];
}
