// Host USM that a kernel reads in reverse order.
// run: k 48 8
// arg: host short [-i for i in range(48)]
// arg: shared short [0] * 48
// expect 1: [i - 47 for i in range(48)]
#include "device.h"

KERNEL void k(const short* in, short* out) { out[Global()] = in[47 - Global()]; }
