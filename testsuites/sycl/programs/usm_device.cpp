// Device USM that a kernel changes.
// run: k 64 16
// arg: device int range(64)
// expect 0: [2 * i + 1 for i in range(64)]
#include "device.h"

KERNEL void k(int* data) { data[Global()] = 2 * data[Global()] + 1; }
