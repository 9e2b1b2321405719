// upsample(hi, lo) = (hi << bits) | lo, for T half as wide as W; UT is T's unsigned type.
#define PASTE2(a, b) a##b
#define PASTE(a, b) PASTE2(a, b)
#define vload(i, p) (p)[i]
#define vstore(v, i, p) (p)[i] = (v)

#define UPSAMPLE(N, LANES)                                                                \
  kernel void upsample_##LANES(global const T *x, global const UT *y, global W *out) {    \
    size_t i = get_global_id(0);                                                          \
    PASTE(vstore, N)(upsample(PASTE(vload, N)(0, x + i % 40), PASTE(vload, N)(0, y + i)), i, out); \
  }

UPSAMPLE(, 1)
UPSAMPLE(2, 2)
UPSAMPLE(3, 3)
UPSAMPLE(4, 4)
UPSAMPLE(8, 8)
UPSAMPLE(16, 16)
