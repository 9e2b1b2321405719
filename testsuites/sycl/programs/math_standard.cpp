// Functions of the C++ library in a kernel.
// run: k 32 8
// arg: shared float [i / 8 for i in range(32)]
// arg: shared double [0] * 32
// expect 1: [math.sin(x) + math.exp(-x) + math.pow(x, 1.5) + math.floor(x) + math.fmod(x, 0.75) for i in range(32) for x in [i / 8]]
// within: 1e-14
#include "device.h"
#include <cmath>

KERNEL void k(const float* in, double* out) {
  const double x = in[Global()];
  out[Global()] = std::sin(x) + std::exp(-x) + std::pow(x, 1.5) + std::floor(x) + std::fmod(x, 0.75);
}
