// Functions of double.
// run: k 32 8
// arg: shared double [i / 8 for i in range(32)]
// arg: shared double [0] * 32
// expect 1: [math.cos(x) + math.exp(-x) + math.log1p(x) + math.gamma(x + 1) + math.hypot(x, 2) for i in range(32) for x in [i / 8]]
// within: 1e-14
#include "device.h"

KERNEL void k(const double* in, double* out) {
  const double x = in[Global()];
  out[Global()] = sycl::cos(x) + sycl::exp(-x) + sycl::log1p(x) + sycl::tgamma(x + 1) + sycl::hypot(x, 2.0);
}
