// Relational functions, select and bitselect.
// run: k 8 8
// arg: shared float [float('nan'), float('inf'), -float('inf'), 0.0, -0.0, 1e-45, 1.5, -2.5]
// arg: shared int [0] * 8
// expect 1: [1, 2, 2 + 8, 4, 4 + 8, 16, 16, 16 + 8]
#include "device.h"

KERNEL void k(const float* in, int* out) {
  const float x = in[Global()];
  const int other = x != 0.0f && sycl::isfinite(x) ? 16 : 0;
  out[Global()] = sycl::isnan(x) + 2 * sycl::isinf(x) + 4 * sycl::isequal(x, 0.0f) +
                  8 * (sycl::signbit(x) && !sycl::isnan(x)) + other;
}
