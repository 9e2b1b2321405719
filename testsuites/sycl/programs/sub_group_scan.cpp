// Scans of sub-groups of 8.
// run: k 64 32
// arg: shared int [(5 * i) % 17 for i in range(64)]
// arg: shared int [0] * 64
// expect 1: [100 * sum((5 * j) % 17 for j in range(i // 8 * 8, i)) + max((5 * j) % 17 for j in range(i // 8 * 8, i + 1)) for i in range(64)]
#include "device.h"

KERNEL SUB_GROUPS_OF(8) void k(const int* in, int* out) {
  const auto group = this_item::get_sub_group();
  out[Global()] = 100 * sycl::exclusive_scan_over_group(group, in[Global()], sycl::plus<>()) +
                  sycl::inclusive_scan_over_group(group, in[Global()], sycl::maximum<>());
}
