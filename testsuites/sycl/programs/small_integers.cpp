// char and short wrap.
// run: k 64 16
// arg: shared char [i - 32 for i in range(64)]
// arg: shared ushort [1000 * i for i in range(64)]
// expect 0: [((i - 32) * 5 + 128) % 256 - 128 for i in range(64)]
// expect 1: [(1000 * i * 3) % 65536 for i in range(64)]
#include "device.h"

KERNEL void k(signed char* a, unsigned short* b) {
  a[Global()] = static_cast<signed char>(a[Global()] * 5);
  b[Global()] = static_cast<unsigned short>(b[Global()] * 3);
}
