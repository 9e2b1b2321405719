// Atomics whose scope is smaller than the distance of the work-items.
// run: k 32 16
// arg: shared int [0]
// told: race-scope
// expect 0: [32]
#include "device.h"

#ifdef RIGHT
constexpr auto kScope = sycl::memory_scope::device;
#else
constexpr auto kScope = sycl::memory_scope::work_group;
#endif
KERNEL void k(int* count) {
  sycl::atomic_ref<int, sycl::memory_order::relaxed, kScope> atomic(*count);
  atomic.fetch_add(1);  // here
}
