// Operations on float whose result IEEE 754 or the specification fixes to the bit.
#pragma OPENCL FP_CONTRACT OFF
#define PASTE2(a, b) a##b
#define PASTE(a, b) PASTE2(a, b)
#define vload(i, p) (p)[i]
#define vstore(v, i, p) (p)[i] = (v)
#define STORE(N, v) PASTE(vstore, N)((v), slot++, out)

// No result is a subnormal or a NaN: the first may be flushed, the second has no fixed bits.
#define EXACT(N, LANES)                                                                  \
  kernel void exact_##LANES(global const float *x, global const float *y, global float *out) { \
    size_t i = get_global_id(0);                                                         \
    size_t slot = i * 24;                                                                \
    PASTE(float, N) a = PASTE(vload, N)(0, x + i % 40);                                  \
    PASTE(float, N) b = PASTE(vload, N)(0, y + i * 7 % 40);                              \
    PASTE(float, N) c = PASTE(vload, N)(0, x + (i * 3 + 5) % 40);                        \
    STORE(N, a + b);                                                                     \
    STORE(N, a - b);                                                                     \
    STORE(N, a * b);                                                                     \
    STORE(N, -a);                                                                        \
    STORE(N, a * b + c);                                                                 \
    STORE(N, fma(a, b, c));                                                              \
    STORE(N, fabs(a));                                                                   \
    STORE(N, floor(a));                                                                  \
    STORE(N, ceil(a));                                                                   \
    STORE(N, trunc(a));                                                                  \
    STORE(N, rint(a));                                                                   \
    STORE(N, round(a));                                                                  \
    STORE(N, copysign(a, b));                                                            \
    STORE(N, fmin(a, b));                                                                \
    STORE(N, fmax(a, b));                                                                \
    STORE(N, min(a, b));                                                                 \
    STORE(N, max(a, 0.25f));                                                             \
    STORE(N, clamp(a, -3.0f, 8.5f));                                                     \
    STORE(N, sign(a));                                                                   \
    STORE(N, step(a, b));                                                                \
    STORE(N, nextafter(a, b));                                                           \
    STORE(N, fdim(a, b));                                                                \
    STORE(N, maxmag(a, b));                                                              \
    STORE(N, minmag(a, c + 0.5f));                                                       \
  }

EXACT(, 1)
EXACT(2, 2)
EXACT(3, 3)
EXACT(4, 4)
EXACT(8, 8)
EXACT(16, 16)
