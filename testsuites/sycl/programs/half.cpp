// half: each operation is rounded.
// run: k 32 8
// arg: shared half [i / 8 for i in range(32)]
// arg: shared half [0] * 32
// expect 1: [f16(f16(f16(i / 8 * f16(1.1)) + 3.5) / 3) for i in range(32)]
#include "device.h"

KERNEL void k(const sycl::half* in, sycl::half* out) {
  const sycl::half product = in[Global()] * sycl::half(1.1f);
  const sycl::half sum = product + sycl::half(3.5f);
  out[Global()] = sum / sycl::half(3.0f);
}
