// A division by zero.
// run: k 16 16
// arg: shared int range(16)
// told: arithmetic-division-by-zero
// expect 0: [100 // i if i else 0 for i in range(16)]
#include "device.h"

KERNEL void k(int* data) {
#ifdef RIGHT
  if (data[Global()] == 0) return;
#endif
  data[Global()] = 100 / data[Global()];  // here
}
