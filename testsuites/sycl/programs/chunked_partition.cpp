// Sums over parts of four work-items.
// run: k 32 32
// arg: shared int range(32)
// expect 0: [sum(range(i // 4 * 4, i // 4 * 4 + 4)) for i in range(32)]
#include "device.h"
#include <sycl/ext/oneapi/experimental/non_uniform_groups.hpp>

KERNEL SUB_GROUPS_OF(16) void k(int* data) {
  const auto part = experimental::chunked_partition<4>(this_item::get_sub_group());
  data[Global()] = sycl::reduce_over_group(part, data[Global()], sycl::plus<>());
}
