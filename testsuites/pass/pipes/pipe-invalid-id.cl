// run: -g 4 -l 4 -a 'int[4]=range(1,1)' -a 'pipe(int,3)'
// One of four reservations fails, and is not used.
kernel void produce(global const int* in, write_only pipe int p) {
  int value = in[get_global_id(0)];
  reserve_id_t id = reserve_write_pipe(p, 1);
  if (!is_valid_reserve_id(id)) return;
  write_pipe(p, id, 0, &value);
  commit_write_pipe(p, id);
}
