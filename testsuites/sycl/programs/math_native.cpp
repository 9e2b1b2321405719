// Native functions: only their order of magnitude is said.
// run: k 16 8
// arg: shared float [1 + i / 8 for i in range(16)]
// arg: shared float [0] * 16
// expect 1: [math.sqrt(x) + math.log2(x) + math.exp2(x) for i in range(16) for x in [1 + i / 8]]
// within: 1e-2
#include "device.h"

KERNEL void k(const float* in, float* out) {
  const float x = in[Global()];
  out[Global()] = sycl::native::sqrt(x) + sycl::native::log2(x) + sycl::native::exp2(x);
}
