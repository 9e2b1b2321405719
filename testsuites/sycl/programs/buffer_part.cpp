// A sub-buffer.
// side: sub_buffer
// expect data: [2 * i + 2 if i >= 32 else i for i in range(64)]
#include "device.h"

KERNEL void k(sycl::accessor<int> data, int step) { data[Global()] = data[Global()] * 2 + step; }
