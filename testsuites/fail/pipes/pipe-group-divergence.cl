// run: -g 4 -l 4 -a 'pipe(int,8)'
// Only two of four work-items come to the reservation of the group.
kernel void produce(write_only pipe int p) {
  if (get_local_id(0) >= 2) return;
  int value = get_local_id(0);
  reserve_id_t id = work_group_reserve_write_pipe(p, 2);
  if (!is_valid_reserve_id(id)) return;
  write_pipe(p, id, get_local_id(0), &value);
  work_group_commit_write_pipe(p, id);
}
