// The host reads a device allocation.
// side: host_reads_device
// told: host-device-memory
// expect first: [2]
#include "device.h"

KERNEL void k(int* data, int step) { data[Global()] = data[Global()] * 2 + step; }
