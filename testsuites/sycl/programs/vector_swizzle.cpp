// Vectors and swizzles.
// run: k 16 4
// arg: shared int range(16)
// expect 0: [(3 * 3 + i) * 1000 + (2 * 3 + i) * 100 + (1 * 3 + 1) * 10 + (i * 3 + 1) for i in range(16)]
#include "device.h"

KERNEL void k(int* data) {
  const sycl::vec<int, 4> a(data[Global()], 1, 2, 3);
  const sycl::vec<int, 4> b = a.wzyx() * 3 + a.xxyy();
  data[Global()] = b.x() * 1000 + b.y() * 100 + b.z() * 10 + b.w();
}
