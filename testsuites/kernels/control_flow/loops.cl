kernel void trip_counts(global const uint *x, global uint *out) {
  size_t i = get_global_id(0);
  uint n = x[i] % 67;
  uint r = 0;
  for (uint k = 0; k < n; ++k) r = r * 31 + k;
  uint collatz = 0;
  for (uint v = (uint)i + 1; v != 1; v = v & 1 ? 3 * v + 1 : v / 2) ++collatz;
  out[2 * i] = r;
  out[2 * i + 1] = collatz;
}

kernel void break_continue(global const uint *x, global uint *out) {
  size_t i = get_global_id(0);
  uint v = x[i];
  uint r = 0;
  for (uint a = 0; a < 12; ++a) {
    if ((v >> a & 3) == 2) continue;
    uint b = 0;
    while (true) {
      if (++b > (v >> 8 & 15)) break;
      if (b == a) continue;
      r += a * b;
      for (uint c = b; c-- > 0;) {
        if (c == 3) continue;
        if (c < (v & 1)) break;
        r ^= c << (a & 7);
      }
    }
    if (r > 1000000) break;
  }
  out[i] = r;
}

kernel void do_while(global const uint *x, global uint *out) {
  size_t i = get_global_id(0);
  uint v = x[i];
  uint r = 0;
  do {
    r += v & 1;
    if (r == 9) {
      r += 3;
      continue;  // to the condition
    }
    v >>= 1;
    if (r == 17) break;
  } while (v != 0 && r < 200);
  out[i] = r * 1000 + (v & 0xff);
}

kernel void early_returns(global const int *x, global int *out) {
  size_t i = get_global_id(0);
  out[i] = -1;
  if (i % 5 == 3) return;
  for (int k = 0; k < 50; ++k) {
    if (k * k > x[i] % 1000) {
      out[i] = k;
      return;
    }
    if (k == 20 && (x[i] & 1)) return;
  }
  if (i % 2) return;
  out[i] = -2;
}

kernel void deep(global const uint *x, global uint *out) {
  size_t i = get_global_id(0);
  uint v = x[i];
  uint r = 0;
  if (v & 1) {
    r = 1;
    if (v & 2) {
      r += 2;
      while (r < 50) {
        r += v & 7;
        if (v & 4) {
          for (uint k = 0; k < 3; ++k) {
            if (v & 8) {
              r += k;
              if (v & 16) {
                r += 3;
                if (v & 32) {
                  do {
                    r += 7;
                    if (v & 64) {
                      r ^= 1;
                    } else {
                      r ^= 2;
                      if (v & 128) break;
                    }
                  } while (r % 11 != 0 && r < 300);
                } else {
                  r += 5;
                }
              }
            } else {
              r += 9;
              continue;
            }
            r += 1;
          }
        } else {
          r += 4;
        }
        r += 1;
      }
    } else {
      r = 77;
    }
  } else if (v & 2) {
    r = v & 4 ? v & 8 ? 5 : 6 : v & 16 ? 7 : 8;
  } else {
    r = 99;
  }
  out[i] = r;
}

// One work-item loops long after its neighbours have left.
kernel void stragglers(global uint *out) {
  size_t i = get_global_id(0);
  uint n = i % 17 == 16 ? 2000 : (uint)i % 3;
  uint r = (uint)i;
  while (n-- > 0) r = r * 1103515245u + 12345u;
  out[i] = r;
}
