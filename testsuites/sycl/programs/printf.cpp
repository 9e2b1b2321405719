// Text that a kernel prints.
// run: k 4 4
// arg: shared int [10, 20, 30, 40]
// output: value 30 at 2, 1.500 hex 1e
#include "device.h"

KERNEL void k(const int* data) {
  if (Global() == 2) experimental::printf("value %d at %d, %.3f hex %x\n", data[2], Global(), 1.5f, data[2]);
}
