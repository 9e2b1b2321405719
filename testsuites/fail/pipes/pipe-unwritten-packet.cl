// run: -g 4 -l 4 -a 'int[4]=3,-1,5,-1' -a 'pipe(int,8)'
// A packet for each work-item is reserved, and those with negative numbers write none.
kernel void keep_positive(global const int* in, write_only pipe int p) {
  reserve_id_t id = work_group_reserve_write_pipe(p, get_local_size(0));
  if (!is_valid_reserve_id(id)) return;
  int value = in[get_global_id(0)];
  if (value >= 0) write_pipe(p, id, get_local_id(0), &value);
  work_group_commit_write_pipe(p, id);
}
