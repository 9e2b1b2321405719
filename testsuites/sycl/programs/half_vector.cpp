// Vectors of half.
// run: k 8 8
// arg: shared half [i for i in range(32)]
// expect 0: [2 * i + (1, 2, 3, 4)[i % 4] for i in range(32)]
#include "device.h"

KERNEL void k(sycl::half* data) {
  sycl::vec<sycl::half, 4> four;
  auto* mine = data + 4 * Global();
  four.load(0, sycl::multi_ptr<sycl::half, sycl::access::address_space::global_space>(mine));
  four = four * sycl::half(2.0f) + sycl::vec<sycl::half, 4>(1.0f, 2.0f, 3.0f, 4.0f);
  four.store(0, sycl::multi_ptr<sycl::half, sycl::access::address_space::global_space>(mine));
}
