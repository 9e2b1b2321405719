// Comparisons give masks as wide as their operands; any, all, select, ?: and ! work with the masks.
kernel void integers(global const int *x, global const int *y, global int *out) {
  size_t i = get_global_id(0);
  int4 a = vload4(i, x);
  int4 b = vload4(i, y);
  size_t k = i * 8;
  vstore4(a == b, k++, out);
  vstore4((a < b) | (b > 1000), k++, out);
  vstore4(select(a, b, a > b), k++, out);
  vstore4(a > b ? a : b, k++, out);
  vstore4((int4)(any(a == b), all(a < b), any(a.xy >= b.xy), all(!(a == b))), k++, out);
  vstore4(!a, k++, out);
  vstore4(a && b, k++, out);
  vstore4(a.x > 0 ? a : b, k++, out);
}

kernel void of_other_sizes(global const uchar *x, global const long *y, global char *bytes,
                           global long *longs) {
  size_t i = get_global_id(0);
  uchar8 a = vload8(i, x);
  uchar8 b = vload8(0, x + i % 32);
  long3 c = vload3(i % 16, y);
  vstore8(a <= b, 3 * i, bytes);
  vstore8(select(as_char8(a), as_char8(b), a < (uchar8)100), 3 * i + 1, bytes);
  vstore8((a > b) ? (char8)(1) : (char8)(-2), 3 * i + 2, bytes);
  vstore3(c > c.zxy, 2 * i, longs);
  vstore3((c != 0l) ? c : c.yzx, 2 * i + 1, longs);
}

kernel void floats(global const float *x, global const float *y, global int *out) {
  size_t i = get_global_id(0);
  float2 a = vload2(i, x);
  float2 b = vload2(i, y);
  size_t k = i * 7;
  vstore2(a < b, k++, out);
  vstore2(a != b, k++, out);
  vstore2(isequal(a, b) | isgreater(a, b), k++, out);
  vstore2(isnan(a) & 2 | isinf(b) & 4, k++, out);
  vstore2(signbit(a) + isnormal(b) * 16, k++, out);
  vstore2(isunordered(a, b) ^ isordered(a, b), k++, out);
  vstore2((int2)(isless(a.x, b.x), isfinite(b.y) + 2 * islessgreater(a.y, b.y)), k++, out);
}
