// A work-group sorts an array.
// told of headers: race-nonatomic
// run: k 16 16
// arg: shared int [(37 * i) % 64 for i in range(64)]
// arg: local char 4096
// expect 0: sorted((37 * i) % 64 for i in range(64))
#include "device.h"
#include <sycl/ext/oneapi/experimental/group_sort.hpp>

KERNEL void k(int* data, sycl::local_accessor<signed char> scratch) {
  auto* memory = reinterpret_cast<std::byte*>(&scratch[0]);
  const experimental::group_with_scratchpad group(Item().get_group(), sycl::span<std::byte>(memory, 4096));
  experimental::joint_sort(group, data, data + 64);
}
