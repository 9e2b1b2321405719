// A barrier between two kernels of an out-of-order queue.
// side: barrier
// expect data: [(2 * i + 3) * 2 + 5 for i in range(64)]
#include "device.h"

KERNEL void k(int* data, int step) { data[Global()] = data[Global()] * 2 + step; }
