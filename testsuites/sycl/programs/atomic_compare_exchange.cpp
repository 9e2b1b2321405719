// A counter by compare and exchange.
// run: k 48 16
// arg: shared uint [5]
// expect 0: [5 + 48]
#include "device.h"

KERNEL void k(unsigned* count) {
  sycl::atomic_ref<unsigned, sycl::memory_order::acq_rel, sycl::memory_scope::device> atomic(*count);
  unsigned old = atomic.load();
  while (!atomic.compare_exchange_strong(old, old + 1)) {
  }
}
