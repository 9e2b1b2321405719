// run: --job pipe-cross-kernel.json
// Each kernel uses its own reservation only; the packets themselves go from one to the other.
kernel void produce(write_only pipe int p) {
  reserve_id_t id = reserve_write_pipe(p, 1);
  if (!is_valid_reserve_id(id)) return;
  int value = 1;
  write_pipe(p, id, 0, &value);
  commit_write_pipe(p, id);
}

kernel void consume(read_only pipe int p, global int* out) {
  reserve_id_t id = reserve_read_pipe(p, 1);
  if (!is_valid_reserve_id(id)) return;
  read_pipe(p, id, 0, out);
  commit_read_pipe(p, id);
}
