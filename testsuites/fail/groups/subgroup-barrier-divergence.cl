// run: -g 16 -l 16 --sub-group-size 8 -a 'int[16]=0'
// The second sub-group comes to the barrier with half of its work-items.

kernel void wait(global int* out) {
  const size_t i = get_local_id(0);
  if (i < 12) sub_group_barrier(CLK_GLOBAL_MEM_FENCE);
  out[i] = 1;
}
