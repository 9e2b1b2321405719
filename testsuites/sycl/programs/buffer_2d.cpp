// A buffer of two dimensions, transposed.
// run: k 8x12 4x4
// arg: read-buffer int 8x12 range(96)
// arg: write-buffer int 12x8 [0] * 96
// expect 1: [12 * (i % 8) + i // 8 for i in range(96)]
#include "device.h"

KERNEL_OF(2) void k(sycl::accessor<int, 2, sycl::access_mode::read> in, sycl::accessor<int, 2, sycl::access_mode::write> out) {
  const auto item = this_item::get_nd_item<2>();
  out[item.get_global_id(1)][item.get_global_id(0)] = in[item.get_global_id()];
}
