// Conversions of vectors with rounding modes.
// run: k 16 4
// arg: shared float [i / 4 - 2 for i in range(16)]
// arg: shared int [0] * 64
// expect 1: [f(i / 4 - 2) for i in range(16) for f in (round, math.trunc, math.ceil, math.floor)]
#include "device.h"

KERNEL void k(const float* in, int* out) {
  const sycl::vec<float, 1> x(in[Global()]);
  out[4 * Global()] = x.convert<int, sycl::rounding_mode::rte>()[0];
  out[4 * Global() + 1] = x.convert<int, sycl::rounding_mode::rtz>()[0];
  out[4 * Global() + 2] = x.convert<int, sycl::rounding_mode::rtp>()[0];
  out[4 * Global() + 3] = x.convert<int, sycl::rounding_mode::rtn>()[0];
}
