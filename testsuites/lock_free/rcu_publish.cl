// A record that is replaced as a whole: the new one is made aside, and then its index is published.
//
// Source: P. E. McKenney, J. D. Slingwine, Read-Copy Update: Using Execution History to Solve Concurrency Problems,
// PDCS 1998. Old records are kept. OpenCL has no memory_order_consume: readers acquire.
// Launch: work-item 0 replaces the record twice; the others read the present one twice. Its two halves are
// equal, and it gets no older.
// Weakened: PUBLISH=RELAXED, READ=RELAXED.
#include "atomics.h"

#ifndef PUBLISH
#define PUBLISH RELEASE
#endif
#ifndef READ
#define READ ACQUIRE
#endif

kernel void f(global atomic_uint *present, global uint2 *records, global uint *wrong)
{
  const uint i = get_global_id(0);
  if (i == 0) {
    for (uint k = 1; k <= 2; ++k) {
      records[k] = (uint2)(k);
      STORE(present, k, PUBLISH);
    }
    return;
  }
  uint before = 0;
  for (uint k = 0; k < 2; ++k) {
    const uint2 found = records[LOAD(present, READ)];
    if (found.x != found.y || found.x < before) wrong[i] = 1;
    before = found.x;
  }
}
