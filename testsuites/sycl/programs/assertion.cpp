// An assertion that holds.
// run: k 8 8
// arg: shared int range(8)
// expect 0: range(1, 9)
#include "device.h"
#include <cassert>

KERNEL void k(int* data) {
  assert(data[Global()] >= 0);
  data[Global()]++;
}
