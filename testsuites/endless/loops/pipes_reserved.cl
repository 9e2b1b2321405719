// run: -a 'pipe(int,64)'
// Reservations of the work-group.
kernel void k(global int* o, local int* l, read_only pipe int in) {
  const int me = get_global_id(0), mine = get_local_id(0);
  o[me] = 7;
  if (me == 5) o[100000] = 1;
  for (int packet = me;;) {
    reserve_id_t id = work_group_reserve_read_pipe(in, 4);
    if (is_valid_reserve_id(id)) work_group_commit_read_pipe(in, id);
  }
}
