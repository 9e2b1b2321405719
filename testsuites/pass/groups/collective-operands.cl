// run: -g 4 -l 4 -a 'int[4]=0'
kernel void spread(global int* out) {
  int i = (int)get_local_id(0);
  out[i] = work_group_broadcast(i, 3);
}
