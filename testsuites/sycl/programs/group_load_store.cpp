// group_load and group_store of two elements a work-item.
// run: k 32 16
// arg: shared int range(64)
// expect 0: [i + 5 if i % 2 == 0 else i * 2 for i in range(64)]
#include "device.h"
#include <sycl/ext/oneapi/experimental/group_load_store.hpp>

KERNEL void k(int* data) {
  const auto group = Item().get_group();
  int* mine = data + group.get_group_linear_id() * 32;
  int values[2];
  experimental::group_load(group, mine, sycl::span<int, 2>(values, 2));
  values[0] += 5;
  values[1] *= 2;
  experimental::group_store(group, sycl::span<int, 2>(values, 2), mine);
}
