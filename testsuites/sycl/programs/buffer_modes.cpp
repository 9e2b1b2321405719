// Accessors that read only and write only.
// run: k 40 8
// arg: read-buffer float [i / 4 for i in range(40)]
// arg: write-buffer float [0] * 40
// expect 1: [i / 4 * 1.5 for i in range(40)]
#include "device.h"

KERNEL void k(sycl::accessor<float, 1, sycl::access_mode::read> in, sycl::accessor<float, 1, sycl::access_mode::write> out) {
  out[Global()] = in[Global()] * 1.5f;
}
