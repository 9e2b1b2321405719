// A function of the host between two kernels.
// side: host_task
// expect data: [(2 * i + 2 + 100) * 2 + 3 for i in range(64)]
#include "device.h"

KERNEL void k(int* data, int step) { data[Global()] = data[Global()] * 2 + step; }
