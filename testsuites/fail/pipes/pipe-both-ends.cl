// run: --job pipe-both-ends.json
// Both arguments are the same pipe.
kernel void turn(read_only pipe int from, write_only pipe int to) {
  int value = 0;
  if (read_pipe(from, &value) == 0) write_pipe(to, &value);
}
