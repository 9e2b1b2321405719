// An allocation that a kernel reaches only by a pointer in another one.
// side: usm_indirect
// expect sums: [sum(range(16)), sum(range(16, 32))]
#include "device.h"

struct List { int* values; int count; int sum; };
KERNEL void k(List* lists) {
  List& list = lists[Global()];
  for (int i = 0; i < list.count; ++i) list.sum += list.values[i];
}
