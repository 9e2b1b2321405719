// A kernel that reads an allocation which was freed.
// side: freed_before
// told: memory-use-after-release
// expect out: range(64)
#include "device.h"

KERNEL void k(int** holder, int* out) {
  const int* data = *holder;
  out[Global()] = data[Global()];  // here
}
