// run: -g 4 -l 4 -a 'pipe(int,8)'
// The work-items of the group reserve different numbers of packets.
kernel void produce(write_only pipe int p) {
  int value = get_local_id(0);
  reserve_id_t id = work_group_reserve_write_pipe(p, get_local_id(0) == 0 ? 1 : 2);
  if (!is_valid_reserve_id(id)) return;
  if (get_local_id(0) == 0) write_pipe(p, id, 0, &value);
  work_group_commit_write_pipe(p, id);
}
