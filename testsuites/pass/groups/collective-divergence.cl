// run: -g 4 -l 4 -a 'int[4]=0'
kernel void sum(global int* out) {
  int all = work_group_reduce_add(1);
  if (get_local_id(0) < 3) out[get_local_id(0)] = all;
}
