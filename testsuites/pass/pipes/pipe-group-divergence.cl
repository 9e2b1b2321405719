// run: -g 4 -l 4 -a 'pipe(int,8)'
// All come to the reservation and to the commit; two of them write.
kernel void produce(write_only pipe int p) {
  int value = get_local_id(0);
  reserve_id_t id = work_group_reserve_write_pipe(p, 2);
  if (!is_valid_reserve_id(id)) return;
  if (get_local_id(0) < 2) write_pipe(p, id, get_local_id(0), &value);
  work_group_commit_write_pipe(p, id);
}
