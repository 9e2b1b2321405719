// run: -g 8 -l 8 --sub-group-size 8 -a 'int[8]=0'
// All ask the same one.

kernel void spread(global int* out) {
  const uint i = get_local_id(0);
  out[i] = sub_group_broadcast((int)i, 5u);
}
