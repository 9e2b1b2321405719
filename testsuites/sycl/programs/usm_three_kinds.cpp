// USM of the three kinds in one kernel.
// run: k 32 32
// arg: device long [i * 10**12 for i in range(32)]
// arg: host long [i for i in range(32)]
// arg: shared long [0] * 32
// expect 2: [i * 10**12 - i for i in range(32)]
#include "device.h"

KERNEL void k(const long* a, const long* b, long* out) { out[Global()] = a[Global()] - b[Global()]; }
