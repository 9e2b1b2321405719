// The last work-group adds what the others published.
// run: k 64 16
// arg: shared int range(64)
// arg: shared int [0] * 4
// arg: shared int [0]
// arg: shared int [0]
// expect 3: [2016]
#include "device.h"

KERNEL void k(const int* in, int* sums, int* done, int* total) {
  const auto group = Item().get_group();
  const int sum = sycl::reduce_over_group(group, in[Global()], sycl::plus<>());
  if (Local() != 0) return;
  sums[group.get_group_linear_id()] = sum;
  sycl::atomic_ref<int, sycl::memory_order::acq_rel, sycl::memory_scope::device> atomic(*done);
  if (atomic.fetch_add(1) != 3) return;
  *total = sums[0] + sums[1] + sums[2] + sums[3];
}
