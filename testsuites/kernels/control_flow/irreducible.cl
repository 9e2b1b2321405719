// Loops with two entries: no natural loop contains them.
kernel void two_entries(global const uint *x, global uint *out) {
  size_t i = get_global_id(0);
  uint v = x[i];
  uint n = v % 19 + 1;
  uint r = v;
  if (v & 8) goto second;
first:
  r = r * 1664525u + 1013904223u;
  if (r >> 29 == 0) goto end;
second:
  r ^= r >> 3;
  if (--n) goto first;
end:
  out[i] = r + n;
}

// Three blocks, each an entry, that jump to each other as the data say.
kernel void three_states(global const uint *x, global uint *out) {
  size_t i = get_global_id(0);
  uint v = x[i];
  uint fuel = 40 + v % 11;
  uint trace = 0;
  switch (v % 3) {
    case 0: goto a;
    case 1: goto b;
    default: goto c;
  }
a:
  trace = trace * 5 + 1;
  v = v * 69069u + 1;
  if (--fuel == 0) goto end;
  if (v >> 31) goto c;
b:
  trace = trace * 5 + 2;
  v ^= v << 13;
  if (--fuel == 0) goto end;
  if (v & 0x400) goto a;
c:
  trace = trace * 5 + 3;
  v ^= v >> 7;
  if (--fuel == 0) goto end;
  if (v & 0x20) goto b;
  goto a;
end:
  out[i] = trace ^ v;
}

// An irreducible loop inside a loop, left by break and re-entered at its other entry.
kernel void nested(global const uint *x, global uint *out) {
  size_t i = get_global_id(0);
  uint r = x[i];
  for (uint round = 0; round < 5; ++round) {
    uint n = (r & 7) + 2;
    if (round & 1) goto lower;
  upper:
    r += 0x9e3779b9u;
    if (n > 6) {
      n -= 2;
      goto upper;
    }
  lower:
    r = rotate(r, 5u) ^ n;
    if (--n > 1) goto upper;
    if (r % 13 == 0) break;
    if (r % 5 == 0) continue;
    r ^= round;
  }
  out[i] = r;
}

// The same shape in which the work-items of a group differ in entry and in trip count.
kernel void divergent_entries(global uint *out) {
  size_t i = get_global_id(0);
  uint n = (uint)i % 13;
  uint r = (uint)i;
  uint left = 0, right = 0;
  if (i % 3 == 0) goto two;
one:
  ++left;
  r = r * 7 + 1;
two:
  ++right;
  r ^= r >> 2;
  if (n == 0) goto out_of_it;
  --n;
  if (r & 1) goto two;
  goto one;
out_of_it:
  out[3 * i] = r;
  out[3 * i + 1] = left;
  out[3 * i + 2] = right;
}
