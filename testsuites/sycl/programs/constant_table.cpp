// A table of constants.
// run: k 32 8
// arg: shared int range(32)
// expect 0: [(1, 1, 2, 3, 5, 8, 13, 21)[i % 8] for i in range(32)]
#include "device.h"

constexpr int kTable[8] = {1, 1, 2, 3, 5, 8, 13, 21};
KERNEL void k(int* data) { data[Global()] = kTable[data[Global()] & 7]; }
