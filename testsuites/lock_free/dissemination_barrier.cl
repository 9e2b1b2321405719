// A barrier in log2(n) rounds: in round r each tells the one 2^r further on.
//
// Source: D. Hensgen, R. Finkel, U. Manber, Two Algorithms for Barrier Synchronization, IJPP 17(1), 1988.
// Launch: three work-items meet twice. Flags count the meetings, so that one who is ahead overwrites nothing that is waited for.
// Weakened: TELL=RELAXED, HEAR=RELAXED.
#include "atomics.h"

#ifndef TELL
#define TELL RELEASE
#endif
#ifndef HEAR
#define HEAR ACQUIRE
#endif

#define ITEMS 3
#define ROUNDS 2

void meet(global atomic_uint *told, uint me, uint meeting)
{
  for (uint r = 0; r < ROUNDS; ++r) {
    STORE(&told[r * ITEMS + (me + (1 << r)) % ITEMS], meeting, TELL);
    while (LOAD(&told[r * ITEMS + me], HEAR) < meeting) {
    }
  }
}

kernel void f(global atomic_uint *told, global uint *data, global uint *out)
{
  const uint me = get_global_id(0);
  data[me] = me + 1;
  meet(told, me, 1);
  out[me] = data[(me + 1) % ITEMS] * 10 + data[(me + 2) % ITEMS];
  meet(told, me, 2);
  data[me] = 7;
}
