// goto forwards, backwards, out of nested loops, and into the middle of a block.
kernel void jumps(global const uint *x, global uint *out) {
  size_t i = get_global_id(0);
  uint n = x[i] % 23;
  uint sum = 0;
  uint k = 0;
again:
  if (k >= n) goto done;
  sum = sum * 3 + k;
  ++k;
  if (sum & 4) goto skip;
  sum += 100;
  if (k == 11) goto done;
skip:
  sum ^= 0x55;
  goto again;
done:
  out[i] = sum;
}

kernel void out_of_nest(global const uint *x, global uint *out) {
  size_t i = get_global_id(0);
  uint target = x[i] % 400;
  uint steps = 0;
  uint a, b, c = 0;
  for (a = 0; a < 9; ++a) {
    for (b = 0; b < 7; ++b) {
      for (c = 0; c < 5; ++c) {
        if (a * 35 + b * 5 + c == target) goto found;
        ++steps;
      }
    }
  }
  out[i] = 0xffffffffu - steps;
  return;
found:
  out[i] = steps * 1000 + a * 100 + b * 10 + c;
}

kernel void into_block(global const uint *x, global uint *out) {
  size_t i = get_global_id(0);
  uint v = x[i];
  uint r = 1;
  if (v & 1) goto inside;
  if (v & 2) {
    r += 10;
  inside:
    r += v % 7 + 1;
    if (r < 6) goto inside;
  } else {
    r = 3;
  }
  out[i] = r * 2 + (v & 3);
}
