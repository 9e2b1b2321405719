// A bitonic sort in local memory.
// run: k 64 64
// arg: shared int [(37 * i) % 64 for i in range(64)]
// arg: local int 64
// expect 0: range(64)
#include "device.h"

KERNEL void k(int* data, sycl::local_accessor<int> part) {
  const auto group = Item().get_group();
  const int i = Local();
  part[i] = data[i];
  for (int size = 2; size <= 64; size *= 2) {
    for (int stride = size / 2; stride > 0; stride /= 2) {
      sycl::group_barrier(group);
      const int other = i ^ stride;
      if (other > i && (part[i] > part[other]) == ((i & size) == 0)) {
        const int value = part[i];
        part[i] = part[other];
        part[other] = value;
      }
    }
  }
  sycl::group_barrier(group);
  data[i] = part[i];
}
