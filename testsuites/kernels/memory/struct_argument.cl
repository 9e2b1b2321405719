// A structure as a kernel's argument: 40 bytes with padding after `count`.
typedef struct {
  int count;
  long offset;
  short table[6];
  float scale;
  uchar flags[4];
} Settings;

kernel void with_settings(Settings s, global long *out) {
  size_t i = get_global_id(0);
  s.table[i % 6] += (short)i;
  long sum = s.offset;
  for (int k = 0; k < s.count; ++k) sum += s.table[k % 6];
  out[2 * i] = sum;
  out[2 * i + 1] = (long)(s.scale * 4.0f) * 100 + s.flags[i % 4];
}
