// Votes of a work-group about an array.
// run: k 8 8
// arg: shared int range(20)
// arg: shared int [0] * 8
// expect 1: [1 + 2 * 0 + 4 * 1] * 8
#include "device.h"

KERNEL void k(const int* in, int* out) {
  const auto group = Item().get_group();
  const bool any = sycl::joint_any_of(group, in, in + 20, [](int value) { return value == 13; });
  const bool all = sycl::joint_all_of(group, in, in + 20, [](int value) { return value < 19; });
  const bool none = sycl::joint_none_of(group, in, in + 20, [](int value) { return value > 19; });
  out[Global()] = any + 2 * all + 4 * none;
}
