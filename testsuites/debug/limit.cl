// Ends only where a limit ends it; its work-items race for what comes first.
kernel void limit(global int* out) {
  int rounds = 0;
  while (out[0] == 0) {
    rounds++;
    out[1] = rounds;
  }
}
