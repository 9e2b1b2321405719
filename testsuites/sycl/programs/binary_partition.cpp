// Sums over the work-items with equal predicates.
// run: k 32 32
// arg: shared int range(32)
// expect 0: [sum(j for j in range(b, b + 16) if (j % 3 == 0) == (i % 3 == 0)) for b in (0, 16) for i in range(b, b + 16)]
#include "device.h"
#include <sycl/ext/oneapi/experimental/non_uniform_groups.hpp>

KERNEL SUB_GROUPS_OF(16) void k(int* data) {
  const auto part = experimental::binary_partition(this_item::get_sub_group(), data[Global()] % 3 == 0);
  data[Global()] = sycl::reduce_over_group(part, data[Global()], sycl::plus<>());
}
