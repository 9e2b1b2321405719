kernel void fall_through(global const int *x, global int *out) {
  size_t i = get_global_id(0);
  int r = 0;
  switch (x[i] % 12) {
    case 0:
      r += 1;
    case 1:
    case 2:
      r += 10;
      break;
    default:
      r += 100;
    case 4:
      r += 1000;
      if (x[i] & 1) break;
    case 7:
      r += 10000;
      break;
    case -3:
      r = -1;
      break;
    case -5:
      return;
  }
  out[i] = r;
}

// Values far apart, negative ones, and 64 bits.
kernel void sparse(global const int *x, global int *out) {
  size_t i = get_global_id(0);
  int r = 7;
  switch (x[i]) {
    case INT_MIN: r = 1; break;
    case -1: r = 2; break;
    case 0: r = 3; break;
    case 255: r = 4; break;
    case 256: r = 5;
    case 65536: r += 6; break;
    case INT_MAX: r = 8; break;
  }
  switch ((long)x[i] * 0x100000000l + 3) {
    case 3: r += 100; break;
    case 0xff00000003l: r += 200; break;
    case -0xfffffffdl: r += 300; break;
    default: r += 400;
  }
  out[i] = r;
}

kernel void of_uchar(global const uchar *x, global int *out) {
  size_t i = get_global_id(0);
  int r = 0;
  for (int k = 0; k < 8; ++k) {
    switch (x[i] >> k & 3) {
      case 0: continue;
      case 1: r += k; break;
      case 2: {
        switch (k & 1) {
          case 0: r *= 2; break;
          default: r ^= 0x10; break;
        }
        break;
      }
      case 3: r -= 5;
    }
    r = r * 3 + 1;
    if (r > 10000) break;
  }
  out[i] = r;
}

// Cases inside a loop's body (Duff).
kernel void interleaved(global const uint *x, global uint *out) {
  size_t i = get_global_id(0);
  uint count = x[i] % 29 + 1;
  uint rounds = (count + 3) / 4;
  uint r = 0;
  switch (count % 4) {
    case 0:
      do {
        r = r * 3 + 1;
        case 3: r += 5;
        case 2: r ^= 9;
        case 1: r += r >> 4;
      } while (--rounds > 0);
  }
  out[i] = r;
}

kernel void only_default(global const int *x, global int *out) {
  size_t i = get_global_id(0);
  int r = x[i] % 5;
  switch (r) {
    default: r *= 3;
  }
  switch (r) {
  }
  switch (r) {
    case 3: r = 33;
  }
  out[i] = r;
}
