// A barrier that some work-items do not reach.
// run: k 16 16
// arg: shared int range(16)
// told: barrier-divergence
// expect 0: range(16)
#include "device.h"

KERNEL void k(int* data) {
#ifndef RIGHT
  if (data[Global()] < 8)
#endif
    sycl::group_barrier(Item().get_group());  // here
}
