// Prefetch and advice.
// side: prefetch
// expect data: [3 * i for i in range(64)]
#include "device.h"

KERNEL void k(int* data) { data[Global()] *= 3; }
