// A kernel that decides by what nothing wrote.
// side: never_written
// told: uninitialized-value
// expect data: [2] * 64
#include "device.h"

KERNEL void k(int* data) {
  if (data[Global()] > 0) data[Global()] = 2;  // here
}
