// Fill, set and copy of USM, ordered by events.
// side: commands
// expect a: [7 + i for i in range(32, 64)] + [7] * 32
// expect b: [7 + i for i in range(64)]
#include "device.h"

KERNEL void k(const int* a, int* b) { b[Global()] += a[Global()] + Global(); }
