// Functions called by some work-items of a group only, returning from different places.
uint find(global const uint *x, uint count, uint wanted) {
  for (uint k = 0; k < count; ++k) {
    if (x[k] % 32 == wanted) return k;
    if (x[k] % 251 == 7) return count + k;
  }
  return 2 * count;
}

uint classify(uint v) {
  if (v % 2 == 0) return v % 3 == 0 ? 6 : 2;
  switch (v % 5) {
    case 0: return 5;
    case 1: break;
    case 2: return 22;
    default:
      while (v > 100) v /= 3;
      return v;
  }
  return 1;
}

void two_results(uint v, uint *first, uint *second) {
  *first = v / 3;
  if (v & 1) return;
  *second = *first + 1;
}

kernel void divergent_calls(global const uint *x, global uint *out) {
  size_t i = get_global_id(0);
  uint r = 0;
  if (x[i] & 1) r += find(x, 40, (uint)i % 32);
  for (uint k = 0; k < x[i] % 9; ++k) {
    if (k & 1) continue;
    r = r * 3 + classify(x[i] >> k);
  }
  uint first = 0, second = 7;
  if (i % 3) two_results(r, &first, &second);
  out[2 * i] = r;
  out[2 * i + 1] = first * 16 + second;
}
