// A variable of the program, which work-items write and read.
// run: k 4 4
// arg: shared int [3, 1, 4, 1]
// expect 0: [21, 7, 28, 7]
#include "device.h"
#include <sycl/ext/oneapi/device_global/device_global.hpp>

experimental::device_global<int[4]> table;
KERNEL void k(int* data) {
  table[Global()] = data[Global()] * 7;
  data[Global()] = table[Global()];
}
