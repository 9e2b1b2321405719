// An assertion that does not hold.
// run: k 8 8
// arg: shared int range(8)
// told: assertion-failed
// expect 0: range(8)
#include "device.h"
#include <cassert>

KERNEL void k(int* data) {
#ifdef RIGHT
  assert(data[Global()] < 8);
#else
  assert(data[Global()] != 5);  // here
#endif
}
