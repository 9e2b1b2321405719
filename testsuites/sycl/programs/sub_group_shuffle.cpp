// Values of other work-items of a sub-group.
// run: k 32 32
// arg: shared int [i * i for i in range(32)]
// arg: shared int [0] * 32
// expect 1: [(b + (i + 3) % 16) ** 2 + 1000 * (b + (i ^ 5)) ** 2 for b in (0, 16) for i in range(16)]
#include "device.h"

KERNEL SUB_GROUPS_OF(16) void k(const int* in, int* out) {
  const auto group = this_item::get_sub_group();
  const int id = group.get_local_id()[0];
  out[Global()] = sycl::select_from_group(group, in[Global()], (id + 3) % 16) +
                  1000 * sycl::permute_group_by_xor(group, in[Global()], 5);
}
