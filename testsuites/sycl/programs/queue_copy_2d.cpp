// A copy of a rectangle.
// side: copy_2d
// expect to: [i + 2 + 1 if i % 8 < 4 else 0 for i in range(64)]
#include "device.h"

KERNEL void k(int* data) { data[Global()]++; }
