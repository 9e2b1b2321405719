// A store behind the end of an allocation.
// run: k 32 16
// arg: device int [0] * 32
// told: memory-out-of-bounds
// expect 0: [0] + list(range(31))
#include "device.h"

KERNEL void k(int* data) {
#ifdef RIGHT
  if (Global() == 31) return;
#endif
  data[Global() + 1] = Global();  // here
}
