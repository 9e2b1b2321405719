// What the runtime says of a kernel.
// side: kernel_information
// expect known: [1, 0, 2]
#include "device.h"

KERNEL void k(int* data, int step) { data[Global()] = data[Global()] * 2 + step; }
