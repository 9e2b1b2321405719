// Dot products of packed bytes.
// run: k 16 4
// arg: shared uint [0x01020304 * i % 2**32 for i in range(16)]
// arg: shared int [0] * 16
// expect 1: [7 + sum(((0x01020304 * i >> 8 * b & 255) + 128) % 256 - 128 for b in range(4)) * 2 for i in range(16)]
#include "device.h"
#include <sycl/ext/oneapi/dot_product.hpp>

KERNEL void k(const unsigned* in, int* out) { out[Global()] = oneapi::dot_acc(static_cast<int>(in[Global()]), 0x02020202, 7); }
