// A reduction of an array by a work-group.
// run: k 16 16
// arg: shared int [3 * i for i in range(100)]
// arg: shared int [0] * 16
// expect 1: [14850] * 16
#include "device.h"

KERNEL void k(const int* in, int* out) {
  out[Global()] = sycl::joint_reduce(Item().get_group(), in, in + 100, sycl::plus<>());
}
