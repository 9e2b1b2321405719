// Readers note the epoch in which they read; what was replaced is used again when nobody is in an older epoch.
//
// Source: K. Fraser, Practical Lock-Freedom, Cambridge, 2004, section 5.2.3.
// Launch: work-item 0 replaces record 0 and uses it again after the next epoch; the others read the present record once.
// Weakened: ENTER_FENCE=ACQ_REL, ADVANCE_FENCE=ACQ_REL: reader and writer may miss each other. LEAVE=RELAXED: the
// reading is not released.
#include "atomics.h"

#ifndef ENTER_FENCE
#define ENTER_FENCE SEQ_CST
#endif
#ifndef ADVANCE_FENCE
#define ADVANCE_FENCE SEQ_CST
#endif
#ifndef LEAVE
#define LEAVE RELEASE
#endif

#define OUTSIDE 0

kernel void f(global atomic_uint *epoch, global atomic_uint *inside, global atomic_uint *present, global uint *records,
              global uint *out)
{
  const uint me = get_global_id(0);
  if (me == 0) {
    records[1] = 42;
    STORE(present, 1, RELEASE);
    FENCE(ADVANCE_FENCE);
    const uint old = LOAD(epoch, RELAXED);
    STORE(epoch, old + 1, RELEASE);
    for (uint i = 1; i < get_global_size(0); ++i) {
      uint seen = OUTSIDE;
      do {
        seen = LOAD(&inside[i], ACQUIRE);
      } while (seen != OUTSIDE && seen <= old);
    }
    records[0] = 7;
    return;
  }
  STORE(&inside[me], LOAD(epoch, ACQUIRE), RELAXED);
  FENCE(ENTER_FENCE);
  out[me] = records[LOAD(present, ACQUIRE)];
  STORE(&inside[me], OUTSIDE, LEAVE);
}
