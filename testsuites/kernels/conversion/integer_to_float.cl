// Integers of type T to float: exact, or rounded as the suffix says.
#define PASTE2(a, b) a##b
#define PASTE(a, b) PASTE2(a, b)
#define TO_FLOAT(N, R) PASTE(PASTE(convert_float, N), R)
#define vload(i, p) (p)[i]
#define vstore(v, i, p) (p)[i] = (v)

#define CONVERSIONS(N, LANES)                                               \
  kernel void to_float_##LANES(global const T *x, global float *out) {      \
    size_t i = get_global_id(0);                                            \
    PASTE(T, N) a = PASTE(vload, N)(0, x + i % 40);                         \
    PASTE(vstore, N)(TO_FLOAT(N, )(a), 5 * i, out);                         \
    PASTE(vstore, N)(TO_FLOAT(N, _rte)(a), 5 * i + 1, out);                 \
    PASTE(vstore, N)(TO_FLOAT(N, _rtz)(a), 5 * i + 2, out);                 \
    PASTE(vstore, N)(TO_FLOAT(N, _rtp)(a), 5 * i + 3, out);                 \
    PASTE(vstore, N)(TO_FLOAT(N, _rtn)(a), 5 * i + 4, out);                 \
  }

CONVERSIONS(, 1)
CONVERSIONS(2, 2)
CONVERSIONS(3, 3)
CONVERSIONS(4, 4)
CONVERSIONS(8, 8)
CONVERSIONS(16, 16)
