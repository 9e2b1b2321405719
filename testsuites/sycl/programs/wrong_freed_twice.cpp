// An allocation that is freed twice.
// side: freed_twice
// told: host-usm-free
// expect data: [2 * i + 2 for i in range(64)]
#include "device.h"

KERNEL void k(int* data, int step) { data[Global()] = data[Global()] * 2 + step; }
