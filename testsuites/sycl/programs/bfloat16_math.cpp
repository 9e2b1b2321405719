// Functions of bfloat16.
// without a cache: its images of libraries end the runtime
// run: k 16 8
// arg: shared bfloat16 [i / 2 - 4 for i in range(16)]
// arg: shared bfloat16 [0] * 16
// expect 1: [bf16(abs(i / 2 - 4) * (i / 2 - 4) + max(i / 2 - 4, 1)) for i in range(16)]
#include "device.h"
#include <sycl/ext/oneapi/experimental/bfloat16_math.hpp>

KERNEL void k(const oneapi::bfloat16* in, oneapi::bfloat16* out) {
  const oneapi::bfloat16 x = in[Global()];
  out[Global()] = experimental::fma(experimental::fabs(x), x, experimental::fmax(x, oneapi::bfloat16(1.0f)));
}
