// A product of matrices by tiles in local memory.
// run: k 8x8 4x4
// arg: read-buffer float 8x8 [i % 7 for i in range(64)]
// arg: read-buffer float 8x8 [i % 5 for i in range(64)]
// arg: write-buffer float 8x8 [0] * 64
// arg: local float 4x4
// arg: local float 4x4
// expect 2: [sum((8 * r + j) % 7 * ((8 * j + c) % 5) for j in range(8)) for r in range(8) for c in range(8)]
#include "device.h"

using In = sycl::accessor<float, 2, sycl::access_mode::read>;
KERNEL_OF(2) void k(In a, In b, sycl::accessor<float, 2, sycl::access_mode::write> c, sycl::local_accessor<float, 2> left,
                    sycl::local_accessor<float, 2> right) {
  const auto item = this_item::get_nd_item<2>();
  const auto y = item.get_local_id(0), x = item.get_local_id(1);
  float sum = 0;
  for (int tile = 0; tile < 8; tile += 4) {
    left[y][x] = a[item.get_global_id(0)][tile + x];
    right[y][x] = b[tile + y][item.get_global_id(1)];
    sycl::group_barrier(item.get_group());
    for (int i = 0; i < 4; ++i) sum += left[y][i] * right[i][x];
    sycl::group_barrier(item.get_group());
  }
  c[item.get_global_id()] = sum;
}
