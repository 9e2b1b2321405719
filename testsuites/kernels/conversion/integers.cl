// convert_T and convert_T_sat from T to every integer type, in scalars and vectors.
#define PASTE2(a, b) a##b
#define PASTE(a, b) PASTE2(a, b)
#define CONVERT(TO, N, SAT) PASTE(PASTE(convert_, PASTE(TO, N)), SAT)
#define vload(i, p) (p)[i]
#define vstore(v, i, p) (p)[i] = (v)

// Every result is widened to long (its own sign decides how), so that one buffer holds all of them.
#define ONE(TO, N)                                                                            \
  PASTE(vstore, N)(CONVERT(long, N, )(CONVERT(TO, N, )(a)), slot++, out);                     \
  PASTE(vstore, N)(CONVERT(long, N, )(CONVERT(TO, N, _sat)(a)), slot++, out);

#define CONVERSIONS(N, LANES)                                           \
  kernel void to_integers_##LANES(global const T *x, global long *out) { \
    size_t i = get_global_id(0);                                        \
    size_t slot = i * 16;                                               \
    PASTE(T, N) a = PASTE(vload, N)(0, x + i % 40);                     \
    ONE(char, N)                                                        \
    ONE(uchar, N)                                                       \
    ONE(short, N)                                                       \
    ONE(ushort, N)                                                      \
    ONE(int, N)                                                         \
    ONE(uint, N)                                                        \
    ONE(long, N)                                                        \
    ONE(ulong, N)                                                       \
  }

CONVERSIONS(, 1)
CONVERSIONS(2, 2)
CONVERSIONS(3, 3)
CONVERSIONS(4, 4)
CONVERSIONS(8, 8)
CONVERSIONS(16, 16)
