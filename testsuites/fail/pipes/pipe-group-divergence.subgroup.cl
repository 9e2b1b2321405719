// run: -g 8 -l 8 --sub-group-size 4 -a 'pipe(int,8)'
// Two of the four work-items of each sub-group come to its reservation.
kernel void produce(write_only pipe int p) {
  if (get_sub_group_local_id() >= 2) return;
  int value = get_local_id(0);
  reserve_id_t id = sub_group_reserve_write_pipe(p, 2);
  if (!is_valid_reserve_id(id)) return;
  write_pipe(p, id, get_sub_group_local_id(), &value);
  sub_group_commit_write_pipe(p, id);
}
