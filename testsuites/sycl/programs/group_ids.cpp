// What work-items of three dimensions know of themselves.
// run: k 2x4x6 1x2x3
// arg: shared int [0] * 48
// expect 0: [(l * 100 + g) * 10 + 8 for z in range(2) for y in range(4) for x in range(6) for l in [y % 2 * 3 + x % 3] for g in [z * 4 + y // 2 * 2 + x // 3]]
#include "device.h"

KERNEL_OF(3) void k(int* out) {
  const auto item = this_item::get_nd_item<3>();
  const auto group = this_item::get_work_group<3>();
  out[item.get_global_linear_id()] = (group.get_local_linear_id() * 100 + group.get_group_linear_id()) * 10 +
                                     group.get_group_linear_range();
}
