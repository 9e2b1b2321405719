// Mutual exclusion of two work-items by loads and stores.
//
// Source: G. L. Peterson, Myths about the Mutual Exclusion Problem, Information Processing Letters 12(3), 1981.
// Launch: both enter twice and increment a plain counter.
// Why the store at the end need not be sequentially consistent: it only ends a wait, by synchronizing with it; the
// wants of the next round follow it in modification order and hide it.
// Weakened: LOOK=ACQUIRE: both may miss the other's want. LEAVE=RELAXED: nothing is released.
#include "atomics.h"

#ifndef LOOK
#define LOOK SEQ_CST
#endif
#ifndef LEAVE
#define LEAVE RELEASE
#endif

kernel void f(global atomic_uint *wants, global atomic_uint *turn, global uint *count)
{
  const uint me = get_global_id(0);
  const uint other = 1 - me;
  for (uint k = 0; k < 2; ++k) {
    STORE(&wants[me], 1, SEQ_CST);
    STORE(turn, other, SEQ_CST);
    while (LOAD(&wants[other], LOOK) != 0 && LOAD(turn, LOOK) == other) {
    }
    *count += 1;
    STORE(&wants[me], 0, LEAVE);
  }
}
