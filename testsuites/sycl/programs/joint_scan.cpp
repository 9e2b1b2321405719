// Scans of an array by a work-group.
// run: k 8 8
// arg: shared int range(1, 33)
// arg: shared int [0] * 32
// arg: shared int [0] * 32
// expect 1: [i * (i + 1) // 2 for i in range(1, 33)]
// expect 2: [i * (i - 1) // 2 for i in range(1, 33)]
#include "device.h"

KERNEL void k(const int* in, int* inclusive, int* exclusive) {
  const auto group = Item().get_group();
  sycl::joint_inclusive_scan(group, in, in + 32, inclusive, sycl::plus<>());
  sycl::joint_exclusive_scan(group, in, in + 32, exclusive, sycl::plus<>());
}
