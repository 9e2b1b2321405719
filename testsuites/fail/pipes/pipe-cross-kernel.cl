// run: --job pipe-cross-kernel.json
// also: pipe-no-commit
// The second kernel writes to and commits what the first one has reserved.
kernel void reserve(write_only pipe int p, global ulong* kept) {
  union { reserve_id_t id; ulong bits; } word;
  word.id = reserve_write_pipe(p, 1);
  kept[0] = word.bits;
}

kernel void produce(write_only pipe int p, global ulong* kept) {
  union { reserve_id_t id; ulong bits; } word;
  word.bits = kept[0];
  int value = 1;
  write_pipe(p, word.id, 0, &value);
}
