// vloadN and vstoreN at addresses that are aligned to one component only.
#define PASTE2(a, b) a##b
#define PASTE(a, b) PASTE2(a, b)

#define MOVE(N)                                                                            \
  kernel void move_##N(global const T *x, global T *out, constant T *table) {              \
    size_t i = get_global_id(0);                                                           \
    vstore##N(vload##N(i, x + 1), 3 * i, out + 1);                                         \
    private T scratch[2 * N + 3];                                                          \
    for (int k = 0; k < 2 * N + 3; ++k) scratch[k] = (T)k;                                 \
    vstore##N(vload##N(0, x + i % 9), 1, scratch + i % 3);                                 \
    vstore##N(vload##N(0, scratch + (i + 1) % 4 + N - 1), 3 * i + 1, out + 1);             \
    vstore##N(vload##N(i % 3, table + 2), 3 * i + 2, out + 1);                             \
  }

MOVE(2)
MOVE(3)
MOVE(4)
MOVE(8)
MOVE(16)
