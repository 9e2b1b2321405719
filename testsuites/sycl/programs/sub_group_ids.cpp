// What work-items know of their sub-group of 8.
// run: k 40 20
// arg: shared int [0] * 40
// expect 0: [i % 20 % 8 * 1000 + i % 20 // 8 * 100 + 3 * 10 + (8 if i % 20 < 16 else 4) for i in range(40)]
#include "device.h"

KERNEL SUB_GROUPS_OF(8) void k(int* out) {
  const auto group = this_item::get_sub_group();
  out[Global()] = group.get_local_id()[0] * 1000 + group.get_group_id()[0] * 100 + group.get_group_range()[0] * 10 +
                  group.get_local_range()[0];
}
