// run: -g 16 -l 16 --sub-group-size 8 -a 'int[16]=0'
// The second sub-group does not come to the barrier at all.

kernel void wait(global int* out) {
  const size_t i = get_local_id(0);
  if (i < 8) sub_group_barrier(CLK_GLOBAL_MEM_FENCE);
  out[i] = 1;
}
