// A sum by atomic additions of all work-items.
// run: k 64 16
// arg: shared int [0]
// expect 0: [sum(range(64))]
#include "device.h"

KERNEL void k(int* sum) {
  sycl::atomic_ref<int, sycl::memory_order::relaxed, sycl::memory_scope::device>(*sum) += Global();
}
