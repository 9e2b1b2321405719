// std::complex in a kernel.
// run: k 16 4
// arg: shared float [i / 8 for i in range(16)]
// arg: shared float [0] * 32
// expect 1: [v for i in range(16) for z in [complex(i / 8, 0.25)] for w in [z * z + cmath.exp(z) / (z + 1 + 1j)] for v in (w.real, w.imag)]
// within: 2e-6
#include "device.h"
#include <complex>

KERNEL void k(const float* in, float* out) {
  std::complex<float> z(in[Global()], 0.25f);
  z = z * z + std::exp(z) / (z + std::complex<float>(1, 1));
  out[2 * Global()] = z.real();
  out[2 * Global() + 1] = z.imag();
}
