// Vectors carried around loops, in functions, and modified one component at a time by data.
uint4 mix(uint4 v, uint round) {
  v.x += v.y;
  v.w = rotate(v.w ^ v.x, 16u);
  v.z += v.w;
  v.y = rotate(v.y ^ v.z, round + 7u);
  return v.yzwx;
}

kernel void rounds(global const uint4 *x, global uint4 *out) {
  size_t i = get_global_id(0);
  uint4 v = x[i];
  for (uint r = 0; r < 8 + (v.x & 7); ++r) v = mix(v, r & 3);
  out[i] = v;
}

kernel void by_component(global const uint *x, global uint *out) {
  size_t i = get_global_id(0);
  uint8 counts = (uint8)(0);
  for (uint k = 0; k < 32; ++k) {
    switch (x[(i + k) % 40] & 7) {
      case 0: counts.s0++; break;
      case 1: counts.s1 += k; break;
      case 2: counts.s2 ^= k << 3; break;
      case 3: counts.s3 -= k; break;
      case 4: counts.s4 |= 1u << k; break;
      case 5: counts.s65 += (uint2)(1, k); break;
      case 6: counts.hi *= 3; break;
      default: counts.s7 = counts.s0; break;
    }
  }
  vstore8(counts, i, out);
}
