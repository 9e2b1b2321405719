// A local accessor of two dimensions: tiles are transposed.
// run: k 8x8 4x4
// arg: shared int range(64)
// arg: local int 4x4
// expect 0: [8 * (i // 32 * 4 + i % 4) + (i // 4 % 2) * 4 + i // 8 % 4 for i in range(64)]
#include "device.h"

KERNEL_OF(2) void k(int* data, sycl::local_accessor<int, 2> tile) {
  const auto item = this_item::get_nd_item<2>();
  const auto x = item.get_local_id(1), y = item.get_local_id(0);
  const auto at = item.get_global_linear_id();
  tile[x][y] = data[at];
  sycl::group_barrier(item.get_group());
  data[at] = tile[y][x];
}
