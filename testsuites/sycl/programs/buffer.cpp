// A buffer that a kernel changes through an accessor.
// run: k 64 16
// arg: buffer uint range(64)
// expect 0: [(i * 2654435761) % 2**32 for i in range(64)]
#include "device.h"

KERNEL void k(sycl::accessor<unsigned> data) { data[Global()] *= 2654435761u; }
