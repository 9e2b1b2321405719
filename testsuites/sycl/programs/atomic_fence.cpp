// A fence publishes what relaxed atomics announce.
// run: k 32 16
// arg: shared int [0] * 2
// arg: shared int [0] * 2
// arg: shared int [0]
// expect 2: [3]
#include "device.h"

KERNEL void k(int* data, int* flags, int* both) {
  using Atomic = sycl::atomic_ref<int, sycl::memory_order::relaxed, sycl::memory_scope::device>;
  if (Local() != 0) return;
  const int me = Global() / 16;
  data[me] = me + 1;
  sycl::atomic_fence(sycl::memory_order::release, sycl::memory_scope::device);
  if (Atomic(*flags).fetch_add(1) != 1) return;
  sycl::atomic_fence(sycl::memory_order::acquire, sycl::memory_scope::device);
  *both = data[0] + data[1];
}
