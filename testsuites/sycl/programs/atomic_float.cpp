// Atomic additions of float and double whose sums are exact.
// run: k 64 16
// arg: shared float [0.5]
// arg: shared double [0.25]
// expect 0: [0.5 + 0.25 * 2016]
// expect 1: [0.25 + 2016]
#include "device.h"

KERNEL void k(float* a, double* b) {
  sycl::atomic_ref<float, sycl::memory_order::relaxed, sycl::memory_scope::device>(*a).fetch_add(0.25f * Global());
  sycl::atomic_ref<double, sycl::memory_order::relaxed, sycl::memory_scope::device>(*b).fetch_add(Global());
}
