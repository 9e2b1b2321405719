// A buffer of three dimensions.
// run: k 4x2x6 2x2x3
// arg: buffer int 4x2x6 [0] * 48
// expect 0: [100 * (i // 12) + 10 * (i // 6 % 2) + i % 6 for i in range(48)]
#include "device.h"

KERNEL_OF(3) void k(sycl::accessor<int, 3> data) {
  const auto id = this_item::get_nd_item<3>().get_global_id();
  data[id] = 100 * id[0] + 10 * id[1] + id[2];
}
