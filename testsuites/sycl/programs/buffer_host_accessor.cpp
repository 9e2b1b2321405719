// Host accessors between kernels.
// side: host_accessor
// expect data: [(2 * i + 2 + 100) * 2 + 3 for i in range(64)]
#include "device.h"

KERNEL void k(sycl::accessor<int> data, int step) { data[Global()] = data[Global()] * 2 + step; }
