// Functions of integers.
// run: k 32 8
// arg: shared int range(32)
// arg: shared int [0] * 192
// expect 1: [v for i in range(32) for v in (32 - i.bit_length(), bin(i).count('1'), abs(i - 7), min(i + 0x7ffffff0, 0x7fffffff), ((i << 3) & 0xffffffff), 3 * i + 1)]
#include "device.h"

KERNEL void k(const int* in, int* out) {
  const int x = in[Global()];
  int* mine = out + 6 * Global();
  mine[0] = sycl::clz(x);
  mine[1] = sycl::popcount(x);
  mine[2] = sycl::abs_diff(x, 7);
  mine[3] = sycl::add_sat(x, 0x7ffffff0);
  mine[4] = sycl::rotate(x, 3);
  mine[5] = sycl::mad24(x, 3, 1);
}
