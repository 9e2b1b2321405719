// run: -g 1 -l 1 -a 'pipe(int,8)'
// A packet is written again after the commit.
kernel void produce(write_only pipe int p) {
  reserve_id_t id = reserve_write_pipe(p, 2);
  if (!is_valid_reserve_id(id)) return;
  int values[2] = {1, 2};
  write_pipe(p, id, 1, &values[1]);
  write_pipe(p, id, 0, &values[0]);
  commit_write_pipe(p, id);
  write_pipe(p, id, 1, &values[0]);
}
