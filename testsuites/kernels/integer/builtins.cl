// The integer built-ins (OpenCL C 6.15.3) and bitselect and select (6.15.6) on one type T (unsigned
// U, signed S, BITS wide), in every vector width.
#define PASTE2(a, b) a##b
#define PASTE(a, b) PASTE2(a, b)
#define WIDE(T, N) PASTE(T, N)
#define AS(T, N) PASTE(as_, WIDE(T, N))
#define vload(i, p) (p)[i]
#define vstore(v, i, p) (p)[i] = (v)
#define STORE(N, value) PASTE(vstore, N)((value), slot++, out)

#define BUILTINS(N, LANES)                                                              \
  kernel void builtins_##LANES(global const T *x, global const T *y, global T *out) {   \
    size_t i = get_global_id(0);                                                        \
    size_t slot = i * 25;                                                               \
    WIDE(T, N) a = PASTE(vload, N)(0, x + i % 40);                                      \
    WIDE(T, N) b = PASTE(vload, N)(0, y + i * 7 % 40);                                  \
    WIDE(T, N) c = PASTE(vload, N)(0, x + (i * 3 + 5) % 40);                            \
    WIDE(T, N) low = min(b, c);                                                         \
    WIDE(T, N) high = max(b, c);                                                        \
    STORE(N, AS(T, N)(abs(a)));                                                         \
    STORE(N, AS(T, N)(abs_diff(a, b)));                                                 \
    STORE(N, add_sat(a, b));                                                            \
    STORE(N, sub_sat(a, b));                                                            \
    STORE(N, mad_sat(a, b, c));                                                         \
    STORE(N, mad_sat((WIDE(T, N))(a / (T)64), (WIDE(T, N))(b / (T)64), c));             \
    STORE(N, hadd(a, b));                                                               \
    STORE(N, rhadd(a, b));                                                              \
    STORE(N, mul_hi(a, b));                                                             \
    /* The sum must fit: it is of a product's upper half and a half of the range. */    \
    STORE(N, mad_hi((WIDE(T, N))(a / (T)2), b, (WIDE(T, N))(c / (T)2)));                \
    STORE(N, rotate(a, b));                                                             \
    STORE(N, rotate(a, (WIDE(T, N))(5)));                                               \
    STORE(N, clz(a));                                                                   \
    STORE(N, clz((WIDE(T, N))(a & (T)0x0f)));                                           \
    STORE(N, popcount(a));                                                              \
    STORE(N, min(a, b));                                                                \
    STORE(N, max(a, b));                                                                \
    STORE(N, clamp(a, low, high));                                                      \
    STORE(N, min(a, (T)9));                                                             \
    STORE(N, max(a, (T)9));                                                             \
    STORE(N, clamp(a, (T)3, (T)77));                                                    \
    STORE(N, bitselect(a, b, c));                                                       \
    STORE(N, select(a, b, AS(S, N)(c)));                                                \
    STORE(N, select(a, b, AS(U, N)(c)));                                                \
    STORE(N, min(max(a, b), rotate(c, a)));                                             \
  }

BUILTINS(, 1)
BUILTINS(2, 2)
BUILTINS(3, 3)
BUILTINS(4, 4)
BUILTINS(8, 8)
BUILTINS(16, 16)
