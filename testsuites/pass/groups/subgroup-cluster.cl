// run: -g 16 -l 16 --sub-group-size 8 -a 'int[16]=0'
// A cluster may be the whole sub-group.

kernel void sum(global int* out) {
  const size_t i = get_local_id(0);
  out[i] = sub_group_clustered_reduce_add((int)i, 8);
}
