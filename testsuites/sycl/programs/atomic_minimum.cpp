// Atomic minimum, maximum, and, or, exclusive or.
// run: k 64 16
// arg: shared int [1000, -1000, -1, 0, 0]
// expect 0: [-20, 43, ~63, 63, functools.reduce(operator.xor, range(64))]
#include "device.h"

KERNEL void k(int* out) {
  using Atomic = sycl::atomic_ref<int, sycl::memory_order::relaxed, sycl::memory_scope::device>;
  const int i = Global();
  Atomic(out[0]).fetch_min(i - 20);
  Atomic(out[1]).fetch_max(i - 20);
  Atomic(out[2]).fetch_and(~i);
  Atomic(out[3]).fetch_or(i);
  Atomic(out[4]).fetch_xor(i);
}
