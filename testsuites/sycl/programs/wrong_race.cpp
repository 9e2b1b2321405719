// Work-items that write one place; right: atomics.
// run: k 32 16
// arg: shared int [0]
// told: race-nonatomic race-other-group race-same-value
// expect 0: [32]
#include "device.h"

KERNEL void k(int* count) {
#ifdef RIGHT
  ++sycl::atomic_ref<int, sycl::memory_order::relaxed, sycl::memory_scope::device>(*count);
#else
  ++*count;  // here
#endif
}
