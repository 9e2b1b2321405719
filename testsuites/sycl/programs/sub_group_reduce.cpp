// Sums of sub-groups of 16.
// run: k 64 32
// arg: shared int range(64)
// expect 0: [sum(range(i // 16 * 16, i // 16 * 16 + 16)) for i in range(64)]
#include "device.h"

KERNEL SUB_GROUPS_OF(16) void k(int* data) {
  data[Global()] = sycl::reduce_over_group(this_item::get_sub_group(), data[Global()], sycl::plus<>());
}
