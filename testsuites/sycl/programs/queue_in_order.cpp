// Kernels in an in-order queue.
// side: in_order
// expect data: [16 + 8 + 8 + 6 + 4] * 64
#include "device.h"

KERNEL void k(int* data, int step) { data[Global()] = data[Global()] * 2 + step; }
