// Votes and a broadcast of work-groups.
// run: k 64 16
// arg: shared int range(64)
// expect 0: [(b == 0) + 2 * (b > 0) + 4 * (b != 16) + 8 * (b + 2) for b in range(0, 64, 16) for _ in range(16)]
#include "device.h"

KERNEL void k(int* data) {
  const auto group = Item().get_group();
  const int value = data[Global()];
  const bool any = sycl::any_of_group(group, value == 5), all = sycl::all_of_group(group, value > 15);
  const bool none = sycl::none_of_group(group, value == 20);
  const int second = sycl::group_broadcast(group, value, 2);
  data[Global()] = any + 2 * all + 4 * none + 8 * second;
}
