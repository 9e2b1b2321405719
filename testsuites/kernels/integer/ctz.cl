// ctz, which came with OpenCL C 2.0; of 0 it is the number of bits.
#define PASTE2(a, b) a##b
#define PASTE(a, b) PASTE2(a, b)
#define vload(i, p) (p)[i]
#define vstore(v, i, p) (p)[i] = (v)

#define CTZ(N, LANES)                                                        \
  kernel void ctz_##LANES(global const T *x, global T *out) {                \
    size_t i = get_global_id(0);                                             \
    PASTE(T, N) a = PASTE(vload, N)(0, x + i % 40);                          \
    PASTE(vstore, N)(ctz(a), 2 * i, out);                                    \
    PASTE(vstore, N)(ctz((PASTE(T, N))(a & (T)0x70)), 2 * i + 1, out);       \
  }

CTZ(, 1)
CTZ(2, 2)
CTZ(3, 3)
CTZ(4, 4)
CTZ(8, 8)
CTZ(16, 16)
