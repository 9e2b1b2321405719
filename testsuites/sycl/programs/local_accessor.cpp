// Local memory through an accessor: each group is reversed.
// run: k 64 16
// arg: shared int range(64)
// arg: local int 16
// expect 0: [i // 16 * 16 + 15 - i % 16 for i in range(64)]
#include "device.h"

KERNEL void k(int* data, sycl::local_accessor<int> part) {
  part[Local()] = data[Global()];
  sycl::group_barrier(Item().get_group());
  data[Global()] = part[15 - Local()];
}
