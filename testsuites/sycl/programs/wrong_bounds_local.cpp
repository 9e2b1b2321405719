// A store behind the end of local memory.
// run: k 16 16
// arg: shared int range(16)
// arg: local int 16
// told: memory-out-of-bounds
// expect 0: range(16)
#include "device.h"

KERNEL void k(int* data, sycl::local_accessor<int> part) {
#ifdef RIGHT
  const int at = Local();
#else
  const int at = Local() + 1;
#endif
  int* mine = &part[0] + at;
  *mine = data[Global()];  // here
  data[Global()] = *mine;
}
