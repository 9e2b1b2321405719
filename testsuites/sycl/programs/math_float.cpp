// Functions of float, within the limits of OpenCL.
// run: k 32 8
// arg: shared float [i / 8 for i in range(32)]
// arg: shared float [0] * 32
// expect 1: [math.sin(x) + math.exp(-x) + math.pow(x, 1.5) + math.erf(x) + math.atan2(x, 2) + 1 / math.sqrt(x + 1) for i in range(32) for x in [i / 8]]
// within: 2e-6
#include "device.h"

KERNEL void k(const float* in, float* out) {
  const float x = in[Global()];
  out[Global()] = sycl::sin(x) + sycl::exp(-x) + sycl::pow(x, 1.5f) + sycl::erf(x) + sycl::atan2(x, 2.0f) + sycl::rsqrt(x + 1);
}
