// run: --job pipe-both-ends.json
// Each argument is a pipe of its own.
kernel void turn(read_only pipe int from, write_only pipe int to) {
  int value = 0;
  if (read_pipe(from, &value) == 0) write_pipe(to, &value);
}
