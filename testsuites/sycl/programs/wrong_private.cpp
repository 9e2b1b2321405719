// An element of a private array that nothing wrote.
// run: k 16 16
// arg: shared int range(16)
// arg: shared int [0] * 16
// told: uninitialized-value
// expect 1: [i % 4 > 2 for i in range(16)]
#include "device.h"

KERNEL void k(const int* in, int* out) {
  int values[4];
  const int count = in[0] + 3;
  for (int i = 0; i < count; ++i) values[i] = i * 10;
#ifdef RIGHT
  values[3] = 30;
#endif
  if (values[in[Global()] & 3] > 25) out[Global()] = 1;  // here
}
