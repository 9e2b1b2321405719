// Values of the neighbours in a sub-group.
// run: k 32 32
// arg: shared int range(32)
// arg: shared int [0] * 32
// expect 1: [(i + 1 if i % 16 < 15 else 0) * 100 + (i - 2 if i % 16 > 1 else 0) for i in range(32)]
#include "device.h"

KERNEL SUB_GROUPS_OF(16) void k(const int* in, int* out) {
  const auto group = this_item::get_sub_group();
  const int id = group.get_local_id()[0];
  const int next = sycl::shift_group_left(group, in[Global()], 1), before = sycl::shift_group_right(group, in[Global()], 2);
  out[Global()] = (id < 15 ? next : 0) * 100 + (id > 1 ? before : 0);
}
