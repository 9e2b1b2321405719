// A stencil of three points with a border.
// run: k 64 16
// arg: shared int [i * i % 50 for i in range(64)]
// arg: shared int [0] * 64
// expect 1: [sum(j * j % 50 for j in (i - 1, i, i + 1) if 0 <= j < 64) for i in range(64)]
#include "device.h"

KERNEL void k(const int* in, int* out) {
  const int i = Global();
  out[i] = (i > 0 ? in[i - 1] : 0) + in[i] + (i < 63 ? in[i + 1] : 0);
}
