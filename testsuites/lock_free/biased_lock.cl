// A lock whose owner uses no read-modify-write until somebody else wants it.
//
// Source: D. Dice, M. Moir, W. Scherer, Quickly Reacquirable Locks, Sun Microsystems 2003: Dekker's flags, and a lock for the rest.
// Launch: work-item 0 is the owner and enters twice, the other one takes the lock away from it and enters once.
// Weakened: OWNER_FENCE=ACQ_REL, OTHER_FENCE=ACQ_REL: both enter. OWNER_LEAVE=RELAXED.
#include "atomics.h"

#ifndef OWNER_FENCE
#define OWNER_FENCE SEQ_CST
#endif
#ifndef OTHER_FENCE
#define OTHER_FENCE SEQ_CST
#endif
#ifndef OWNER_LEAVE
#define OWNER_LEAVE RELEASE
#endif

struct lock {
  atomic_uint owner_in, revoked, spin;
};

void enter_slow(global struct lock *l)
{
  uint is_free = 0;
  while (!CAS(&l->spin, &is_free, 1, ACQUIRE, RELAXED)) is_free = 0;
}

kernel void f(global struct lock *l, global uint *count)
{
  if (get_global_id(0) == 0) {
    for (uint k = 0; k < 2; ++k) {
      STORE(&l->owner_in, 1, RELAXED);
      FENCE(OWNER_FENCE);
      if (LOAD(&l->revoked, RELAXED) == 0) {
        count[0] += 1;
        STORE(&l->owner_in, 0, OWNER_LEAVE);
      } else {
        STORE(&l->owner_in, 0, RELAXED);
        enter_slow(l);
        count[0] += 1;
        STORE(&l->spin, 0, RELEASE);
      }
    }
  } else {
    enter_slow(l);
    STORE(&l->revoked, 1, RELAXED);
    FENCE(OTHER_FENCE);
    while (LOAD(&l->owner_in, ACQUIRE) != 0) {
    }
    count[0] += 1;
    STORE(&l->spin, 0, RELEASE);
  }
}
