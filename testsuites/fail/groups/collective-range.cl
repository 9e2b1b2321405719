// run: -g 8,8 -l 8,8 -a 'int[64]=0'
// The work-group has 8 by 8 work-items: there is none with local id (8, 0).

kernel void spread(global int* out) {
  const size_t i = get_local_linear_id();
  out[i] = work_group_broadcast((int)i, get_local_size(0), 0);
}
