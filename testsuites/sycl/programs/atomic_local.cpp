// A histogram of a work-group in local memory.
// run: k 64 32
// arg: shared int [(i * i) % 8 for i in range(64)]
// arg: shared int [0] * 16
// arg: local int 8
// expect 1: [sum((i * i) % 8 == v for i in range(b, b + 32)) for b in (0, 32) for v in range(8)]
#include "device.h"

KERNEL void k(const int* in, int* out, sycl::local_accessor<int> bins) {
  const auto group = Item().get_group();
  if (Local() < 8) bins[Local()] = 0;
  sycl::group_barrier(group);
  sycl::atomic_ref<int, sycl::memory_order::relaxed, sycl::memory_scope::work_group,
                   sycl::access::address_space::local_space>(bins[in[Global()]])++;
  sycl::group_barrier(group);
  if (Local() < 8) out[group.get_group_linear_id() * 8 + Local()] = bins[Local()];
}
