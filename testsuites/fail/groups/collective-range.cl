// run: -g 6 -l 4 -a 'int[6]=0'
kernel void spread(global int* out) {
  int i = (int)get_global_id(0);
  out[i] = work_group_broadcast(i, 3);  // the last group has two work-items
}
