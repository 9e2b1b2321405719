// run: -g 1 -l 1 -a 'pipe(int,8)'
// Two packets are reserved: numbers 0 and 1.
kernel void produce(write_only pipe int p) {
  reserve_id_t id = reserve_write_pipe(p, 2);
  if (!is_valid_reserve_id(id)) return;
  for (int i = 1; i >= 0; --i) write_pipe(p, id, i, &i);
  commit_write_pipe(p, id);
}
