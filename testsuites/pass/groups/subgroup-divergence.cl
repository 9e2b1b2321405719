// run: -g 16 -l 16 --sub-group-size 8 -a 'int[16]=0'
// All work-items of the first sub-group come, and none of the second.

kernel void sum(global int* out) {
  const size_t i = get_local_id(0);
  if (get_sub_group_id() == 0) out[i] = sub_group_reduce_add((int)i);
}
