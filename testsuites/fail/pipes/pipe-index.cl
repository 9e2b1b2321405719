// run: -g 1 -l 1 -a 'pipe(int,8)'
// Two packets are reserved, and the second one is said to be number 2.
kernel void produce(write_only pipe int p) {
  reserve_id_t id = reserve_write_pipe(p, 2);
  if (!is_valid_reserve_id(id)) return;
  for (int i = 1; i <= 2; ++i) write_pipe(p, id, i, &i);
  int zero = 0;
  write_pipe(p, id, 0, &zero);
  commit_write_pipe(p, id);
}
