// shuffle and shuffle2 (OpenCL C 6.15.14): only the low bits of a mask count.
kernel void shuffles(global const ushort *x, global const ushort *masks, global ushort *out) {
  size_t i = get_global_id(0);
  ushort4 a = vload4(i, x);
  ushort8 b = vload8(0, x + i % 32);
  ushort16 m = vload16(0, masks + i % 24);
  size_t k = i * 6;
  vstore16(shuffle(a, m), k++, out);
  vstore16(shuffle(b, m), k++, out);
  vstore16(shuffle2(a, b.lo, m), k++, out);
  vstore16(shuffle2(b, b.s76543210, m), k++, out);
  vstore16((ushort16)(shuffle(m, m.lo), shuffle2(b, m.hi, m.hi)), k++, out);
  vstore16((ushort16)(shuffle(a, m.lo.lo), shuffle(m, m.s01), shuffle2(a, a, m.s23), b), k++, out);
}

kernel void shuffle_bytes_and_longs(global const uchar *x, global const ulong *y,
                                    global uchar *bytes, global ulong *longs) {
  size_t i = get_global_id(0);
  uchar16 a = vload16(0, x + i % 32);
  uchar16 m = vload16(0, x + (i + 7) % 32);
  ulong4 b = vload4(0, y + i % 32);
  vstore16(shuffle(a, m), 2 * i, bytes);
  vstore16(shuffle2(a.lo, m.hi, a), 2 * i + 1, bytes);
  vstore4(shuffle(b, (ulong4)(3, i, 1, 7)), 2 * i, longs);
  vstore4(shuffle2(b, b + 1ul, b), 2 * i + 1, longs);
}
