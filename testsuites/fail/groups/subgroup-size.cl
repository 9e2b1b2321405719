// run: -g 16 -l 16 -a 'int[16]=1' -a 'int[16]=0' --sub-group-sizes 8,16
// The sum of sixteen work-items, which is one of eight where no more are in a sub-group.
kernel void sum(const global int* in, global int* out) {
  const int i = get_global_id(0);
  out[i] = sub_group_reduce_add(in[i]);
}
