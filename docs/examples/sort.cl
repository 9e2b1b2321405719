// Odd-even transposition: one round compares neighbours from place 0 on, the next from place 1 on.
kernel void step(global uint *keys, uint round) {
  size_t i = 2 * get_global_id(0) + (round + 1) % 2;
  if (i + 1 >= 2 * get_global_size(0)) return;
  uint a = keys[i], b = keys[i + 1];
  keys[i] = min(a, b);
  keys[i + 1] = max(a, b);
}

kernel void check(global const uint *keys) {
  uint wrong = 0;
  for (uint i = 1; i < 1024; ++i) wrong += keys[i - 1] > keys[i];
  printf("%u pairs are out of order\n", wrong);
}
