// A copy whose source and target overlap.
// side: copy_overlaps
// told: host-overlapping-copy
// expect data: [i % 32 + 1 for i in range(64)]
#include "device.h"

KERNEL void k(int* data) { data[Global()]++; }
