// run: -g 8,8 -l 8,8 -a 'int[64]=0'
// The last work-item of the first row.

kernel void spread(global int* out) {
  const size_t i = get_local_linear_id();
  out[i] = work_group_broadcast((int)i, get_local_size(0) - 1, 0);
}
