// Mutual exclusion of two work-items by relaxed loads and stores, and fences.
//
// Source: E. W. Dijkstra, Cooperating Sequential Processes, 1965 (T. J. Dekker's algorithm); the fences follow from the rules for
// seq_cst fences (OpenCL API 3.3.6).
// Launch: both enter twice and increment a plain counter.
// Weakened: WANT_FENCE=ACQ_REL: both may miss the other's want. ENTER_FENCE=RELAXED, LEAVE_FENCE=RELAXED.
#include "atomics.h"

#ifndef WANT_FENCE
#define WANT_FENCE SEQ_CST
#endif
#ifndef ENTER_FENCE
#define ENTER_FENCE ACQUIRE
#endif
#ifndef LEAVE_FENCE
#define LEAVE_FENCE RELEASE
#endif

kernel void f(global atomic_uint *wants, global atomic_uint *turn, global uint *count)
{
  const uint me = get_global_id(0);
  const uint other = 1 - me;
  for (uint k = 0; k < 2; ++k) {
    STORE(&wants[me], 1, RELAXED);
    FENCE(WANT_FENCE);
    while (LOAD(&wants[other], RELAXED) != 0) {
      if (LOAD(turn, RELAXED) == me) continue;
      STORE(&wants[me], 0, RELAXED);
      while (LOAD(turn, RELAXED) != me) {
      }
      STORE(&wants[me], 1, RELAXED);
      FENCE(WANT_FENCE);
    }
    FENCE(ENTER_FENCE);
    *count += 1;
    STORE(turn, other, RELAXED);
    FENCE(LEAVE_FENCE);
    STORE(&wants[me], 0, RELAXED);
  }
}
