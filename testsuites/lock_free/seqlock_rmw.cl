// A sequence lock whose reader looks at the number again by a read-modify-write that changes nothing.
//
// Source: H.-J. Boehm, Can Seqlocks Get Along with Programming Language Memory Models?, MSPC 2012, figure 7 (read-don't-modify-write).
// Launch: work-item 0 writes two pairs of equal words; the others read once or twice.
// Why it is right: where the second look finds the same even number, the writer's next increment reads that look or a later one. It
// acquires what the look has released, so that the reading happens before what is written next.
// Weakened: UNLOCK=RELAXED: old words beside a new number. LOOK_AGAIN=RELAXED and LOCK=RELAXED are wrong, too, but seen only
// where a load may read what is stored after the second look.
#include "atomics.h"

#ifndef LOOK_AGAIN
#define LOOK_AGAIN RELEASE
#endif
#ifndef LOCK
#define LOCK ACQUIRE
#endif
#ifndef UNLOCK
#define UNLOCK RELEASE
#endif

kernel void f(global atomic_uint *number, global atomic_uint *words, global uint *torn)
{
  const uint i = get_global_id(0);
  for (uint k = 1; k <= 2; ++k) {
    if (i == 0) {
      ADD(number, 1, LOCK);
      STORE(&words[0], k, RELAXED);
      STORE(&words[1], k, RELAXED);
      ADD(number, 1, UNLOCK);
    } else {
      const uint before = LOAD(number, ACQUIRE);
      const uint a = LOAD(&words[0], RELAXED);
      const uint b = LOAD(&words[1], RELAXED);
      const uint after = ADD(number, 0, LOOK_AGAIN);
      if (before != after || (before & 1) != 0) continue;
      if (a != b || a != before / 2) torn[i] += 1;
    }
  }
}
