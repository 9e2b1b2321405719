// A switch with cases that fall through.
// run: k 32 8
// arg: shared int range(32)
// expect 0: [(11, 3 * i + 100, i + 100, -i, 8 * i)[(0, 1, 2, 4, 4, 3, 4, 4)[i % 8]] for i in range(32)]
#include "device.h"

KERNEL void k(int* data) {
  int x = data[Global()];
  switch (x & 7) {
    case 0: x = 11; break;
    case 1: x *= 3; [[fallthrough]];
    case 2: x += 100; break;
    case 5: x = -x; break;
    default: x = x << 3;
  }
  data[Global()] = x;
}
