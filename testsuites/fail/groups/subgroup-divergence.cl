// run: -g 16 -l 16 --sub-group-size 8 -a 'int[16]=0'
// The second sub-group comes to the sum with half of its work-items.

kernel void sum(global int* out) {
  const size_t i = get_local_id(0);
  if (i < 12) out[i] = sub_group_reduce_add((int)i);
}
