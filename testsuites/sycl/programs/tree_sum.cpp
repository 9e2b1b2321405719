// A sum by a tree in local memory.
// run: k 64 32
// arg: shared int [i * i for i in range(64)]
// arg: shared int [0] * 2
// arg: local int 32
// expect 1: [sum(i * i for i in range(b, b + 32)) for b in (0, 32)]
#include "device.h"

KERNEL void k(const int* in, int* out, sycl::local_accessor<int> part) {
  const auto group = Item().get_group();
  part[Local()] = in[Global()];
  for (int half = 16; half > 0; half /= 2) {
    sycl::group_barrier(group);
    if (Local() < half) part[Local()] += part[Local() + half];
  }
  if (Local() == 0) out[group.get_group_linear_id()] = part[0];
}
