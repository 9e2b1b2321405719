// Geometric functions.
// run: k 16 4
// arg: shared float range(16)
// arg: shared float [0] * 48
// expect 1: [v for i in range(16) for v in (3 * i + 8, math.sqrt(5 + i * i), -i)]
// within: 1e-6
#include "device.h"

KERNEL void k(const float* in, float* out) {
  const sycl::float3 x(1.0f, 2.0f, in[Global()]);
  out[3 * Global()] = sycl::dot(x, sycl::float3(2.0f, 3.0f, 3.0f));
  out[3 * Global() + 1] = sycl::length(x);
  out[3 * Global() + 2] = sycl::cross(sycl::float3(1.0f, 0.0f, 0.0f), sycl::float3(0.0f, 1.0f, in[Global()])).y();
}
