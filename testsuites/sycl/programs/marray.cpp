// marray of five floats.
// run: k 16 4
// arg: shared float range(16)
// expect 0: [5 * (2 * i + 1) for i in range(16)]
#include "device.h"

KERNEL void k(float* data) {
  sycl::marray<float, 5> five(data[Global()]);
  five = five * 2.0f + 1.0f;
  float sum = 0;
  for (const float each : five) sum += each;
  data[Global()] = sum;
}
