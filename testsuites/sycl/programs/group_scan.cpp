// Inclusive and exclusive scans of work-groups.
// run: k 64 32
// arg: shared int range(64)
// arg: shared int [0] * 64
// arg: shared int [0] * 64
// expect 1: [sum(range(i // 32 * 32, i + 1)) for i in range(64)]
// expect 2: [5 + sum(range(i // 32 * 32, i)) for i in range(64)]
#include "device.h"

KERNEL void k(const int* in, int* inclusive, int* exclusive) {
  const auto group = Item().get_group();
  inclusive[Global()] = sycl::inclusive_scan_over_group(group, in[Global()], sycl::plus<>());
  exclusive[Global()] = sycl::exclusive_scan_over_group(group, in[Global()], 5, sycl::plus<>());
}
