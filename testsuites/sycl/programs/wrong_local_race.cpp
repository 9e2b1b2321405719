// A barrier is missing between a store and a load of local memory.
// run: k 32 16
// arg: shared int range(32)
// arg: local int 16
// told: race-nonatomic
// expect 0: [i // 16 * 16 + (i + 1) % 16 for i in range(32)]
#include "device.h"

KERNEL void k(int* data, sycl::local_accessor<int> part) {
  part[Local()] = data[Global()];
#ifdef RIGHT
  sycl::group_barrier(Item().get_group());
#endif
  const int* next = &part[(Local() + 1) % 16];
  data[Global()] = *next;  // here
}
