// Votes and a broadcast of sub-groups of 8.
// run: k 32 16
// arg: shared int range(32)
// expect 0: [(b == 8) + 2 * (b > 7) + 4 * (b != 16) + 8 * (b + 7) for b in range(0, 32, 8) for _ in range(8)]
#include "device.h"

KERNEL SUB_GROUPS_OF(8) void k(int* data) {
  const auto group = this_item::get_sub_group();
  const int value = data[Global()];
  const bool any = sycl::any_of_group(group, value == 9), all = sycl::all_of_group(group, value > 7);
  const bool none = sycl::none_of_group(group, value == 20);
  data[Global()] = any + 2 * all + 4 * none + 8 * sycl::group_broadcast(group, value, 7);
}
