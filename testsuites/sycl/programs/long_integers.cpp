// Products of 64 bits, and their high halves.
// run: k 16 4
// arg: shared ulong [0x9e3779b97f4a7c15 * i % 2**64 for i in range(16)]
// arg: shared ulong [0] * 16
// expect 1: [(0x9e3779b97f4a7c15 * i % 2**64 * 0xfedcba9876543210) // 2**64 for i in range(16)]
#include "device.h"

KERNEL void k(const unsigned long* in, unsigned long* out) { out[Global()] = sycl::mul_hi(in[Global()], 0xfedcba9876543210ul); }
