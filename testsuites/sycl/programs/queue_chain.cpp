// Kernels that wait for each other's events, in an out-of-order queue.
// side: chain
// expect data: [16 * i + 8 + 8 + 6 + 4 for i in range(64)]
#include "device.h"

KERNEL void k(int* data, int step) { data[Global()] = data[Global()] * 2 + step; }
