// A lock of one word, by compare-and-swap.
//
// Source: M. Herlihy, N. Shavit, The Art of Multiprocessor Programming, chapter 7 (test-and-test-and-set).
// Launch: each work-item enters twice and increments a plain counter.
// Weakened: ENTER=RELAXED, LEAVE=RELAXED. SCOPE=memory_scope_sub_group: the work-items are in several sub-groups.
#include "atomics.h"

#ifndef ENTER
#define ENTER ACQUIRE
#endif
#ifndef LEAVE
#define LEAVE RELEASE
#endif

kernel void f(global atomic_uint *lock, global uint *count)
{
  for (uint k = 0; k < 2; ++k) {
    uint is_free = 0;
    while (!CAS(lock, &is_free, 1, ENTER, RELAXED)) {
      while (LOAD(lock, RELAXED) != 0) {
      }
      is_free = 0;
    }
    *count += 1;
    STORE(lock, 0, LEAVE);
  }
}
