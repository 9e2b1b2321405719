// float to integers of type T.  Without _sat a value out of range is undefined, so those operands
// are kept small; _sat also takes infinities, and NaN, which becomes 0 (OpenCL C 6.4.3.3).
#define PASTE2(a, b) a##b
#define PASTE(a, b) PASTE2(a, b)
#define TO(N, S) PASTE(PASTE(convert_, PASTE(T, N)), S)
#define vload(i, p) (p)[i]
#define vstore(v, i, p) (p)[i] = (v)
#define STORE(N, v) PASTE(vstore, N)((v), slot++, out)

#define CONVERSIONS(N, LANES)                                                           \
  kernel void from_float_##LANES(global const float *x, global const float *small,      \
                                 global T *out) {                                       \
    size_t i = get_global_id(0);                                                        \
    size_t slot = i * 10;                                                               \
    PASTE(float, N) any = PASTE(vload, N)(0, x + i % 40);                               \
    PASTE(float, N) in_range = PASTE(vload, N)(0, small + i % 40);                      \
    STORE(N, TO(N, _sat)(any));                                                         \
    STORE(N, TO(N, _sat_rte)(any));                                                     \
    STORE(N, TO(N, _sat_rtz)(any));                                                     \
    STORE(N, TO(N, _sat_rtp)(any));                                                     \
    STORE(N, TO(N, _sat_rtn)(any));                                                     \
    STORE(N, TO(N, )(in_range));                                                        \
    STORE(N, TO(N, _rte)(in_range));                                                    \
    STORE(N, TO(N, _rtz)(in_range));                                                    \
    STORE(N, TO(N, _rtp)(in_range));                                                    \
    STORE(N, TO(N, _rtn)(in_range));                                                    \
  }

CONVERSIONS(, 1)
CONVERSIONS(2, 2)
CONVERSIONS(3, 3)
CONVERSIONS(4, 4)
CONVERSIONS(8, 8)
CONVERSIONS(16, 16)
