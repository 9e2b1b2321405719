// bfloat16: operations in float, rounded to nearest even.
// without a cache: its images of libraries end the runtime
// run: k 32 8
// arg: shared bfloat16 [i / 4 for i in range(32)]
// arg: shared bfloat16 [0] * 32
// expect 1: [bf16(bf16(bf16(i / 4) * bf16(1.1)) + bf16(1.0)) for i in range(32)]
#include "device.h"

KERNEL void k(const oneapi::bfloat16* in, oneapi::bfloat16* out) {
  const oneapi::bfloat16 product = in[Global()] * oneapi::bfloat16(1.1f);
  out[Global()] = product + oneapi::bfloat16(1.0f);
}
