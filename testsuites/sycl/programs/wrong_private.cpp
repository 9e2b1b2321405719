// An element of a private array that nothing wrote.
// run: k 16 16
// arg: shared int range(16)
// told: undefined-value
// expect 0: [i % 4 * 10 for i in range(16)]
#include "device.h"

KERNEL void k(int* data) {
  int values[4];
  const int count = data[0] + 3;
  for (int i = 0; i < count; ++i) values[i] = i * 10;
#ifdef RIGHT
  values[3] = 30;
#endif
  data[Global()] = values[data[Global()] & 3] > 25 ? 30 : values[data[Global()] & 3];  // here
}
