// Sums over the work-items that took a branch.
// told of headers: subgroup-barrier-divergence
// run: k 32 32
// arg: shared int range(32)
// expect 0: [sum(range(i // 8 * 8 + 1, i // 8 * 8 + 8, 2)) if i % 2 else i for i in range(32)]
#include "device.h"
#include <sycl/ext/oneapi/experimental/non_uniform_groups.hpp>

KERNEL SUB_GROUPS_OF(8) void k(int* data) {
  if (data[Global()] & 1) {
    const auto odd = experimental::entangle(this_item::get_sub_group());
    data[Global()] = sycl::reduce_over_group(odd, data[Global()], sycl::plus<>());
  }
}
