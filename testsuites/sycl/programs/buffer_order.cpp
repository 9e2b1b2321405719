// Two kernels that the runtime orders by their accessors, and the write-back.
// side: buffers_order
// expect data: [(2 * i + 2) * 2 + 3 for i in range(64)]
#include "device.h"

KERNEL void k(sycl::accessor<int> data, int step) { data[Global()] = data[Global()] * 2 + step; }
