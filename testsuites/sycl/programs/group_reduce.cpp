// Sums, least and largest values of work-groups.
// run: k 64 16
// arg: shared int [(7 * i) % 23 for i in range(64)]
// arg: shared int [0] * 64
// expect 1: [sum((7 * j) % 23 for j in range(b, b + 16)) * 10000 + min((7 * j) % 23 for j in range(b, b + 16)) * 100 + max((7 * j) % 23 for j in range(b, b + 16)) for b in range(0, 64, 16) for _ in range(16)]
#include "device.h"

KERNEL void k(const int* in, int* out) {
  const auto group = Item().get_group();
  const int value = in[Global()];
  out[Global()] = sycl::reduce_over_group(group, value, sycl::plus<>()) * 10000 +
                  sycl::reduce_over_group(group, value, sycl::minimum<>()) * 100 +
                  sycl::reduce_over_group(group, value, sycl::maximum<>());
}
