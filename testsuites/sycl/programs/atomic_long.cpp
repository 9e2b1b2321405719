// Atomics of 64 bits.
// run: k 32 8
// arg: shared ulong [2**63]
// arg: shared long [0]
// expect 0: [2**63 + 10**12 * 496]
// expect 1: [31 * 10**12]
#include "device.h"

KERNEL void k(unsigned long* sum, long* most) {
  const long value = Global() * 1000000000000L;
  sycl::atomic_ref<unsigned long, sycl::memory_order::relaxed, sycl::memory_scope::device>(*sum).fetch_add(value);
  sycl::atomic_ref<long, sycl::memory_order::relaxed, sycl::memory_scope::device>(*most).fetch_max(value);
}
