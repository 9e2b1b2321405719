// run: -g 8 -l 8 --sub-group-size 8 -a 'int[8]=0'
// The last work-item has no neighbour, and does not use what comes back.

kernel void differences(global int* out) {
  const int i = get_local_id(0);
  const int next = sub_group_shuffle_down(i * i, 1);
  out[i] = i < 7 ? next - i * i : 0;
}
