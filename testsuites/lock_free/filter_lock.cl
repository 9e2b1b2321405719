// Mutual exclusion of n work-items: of those that come to a level, one stays behind.
//
// Source: G. L. Peterson, Myths about the Mutual Exclusion Problem, IPL 12(3), 1981 (for n processes); M. Herlihy, N. Shavit, chapter 2.
// Launch: three work-items enter once and increment a plain counter.
// Weakened: LOOK=ACQUIRE: others may be missed. LEAVE=RELAXED: nothing is released.
#include "atomics.h"

#ifndef LOOK
#define LOOK SEQ_CST
#endif
#ifndef LEAVE
#define LEAVE RELEASE
#endif

bool others_at(global atomic_uint *level, uint me, uint l)
{
  for (uint i = 0; i < get_global_size(0); ++i) {
    if (i != me && LOAD(&level[i], LOOK) >= l) return true;
  }
  return false;
}

kernel void f(global atomic_uint *level, global atomic_uint *victim, global uint *count)
{
  const uint me = get_global_id(0);
  for (uint l = 1; l < get_global_size(0); ++l) {
    STORE(&level[me], l, SEQ_CST);
    STORE(&victim[l], me, SEQ_CST);
    while (others_at(level, me, l) && LOAD(&victim[l], LOOK) == me) {
    }
  }
  *count += 1;
  STORE(&level[me], 0, LEAVE);
}
