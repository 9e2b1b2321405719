// A pointer with properties.
// run: k 16 4
// arg: shared int range(16)
// expect 0: [i * i for i in range(16)]
#include "device.h"
#include <sycl/ext/oneapi/experimental/annotated_ptr/annotated_ptr.hpp>

KERNEL void k(int* data) {
  experimental::annotated_ptr<int, decltype(experimental::properties{})> pointer(data);
  pointer[Global()] = pointer[Global()] * pointer[Global()];
}
