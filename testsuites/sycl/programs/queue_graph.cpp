// A graph of two kernels, executed twice.
// side: graph
// expect data: [((2 * ((2 * i + 2) * 2 + 3)) + 2) * 2 + 3 for i in range(64)]
#include "device.h"

KERNEL void k(int* data, int step) { data[Global()] = data[Global()] * 2 + step; }
