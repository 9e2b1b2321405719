// A barrier as a tournament: losers tell winners that they have come, and the champion wakes all.
//
// Source: D. Hensgen, R. Finkel, U. Manber, Two Algorithms for Barrier Synchronization, IJPP 17(1), 1988.
// Launch: four work-items, two rounds; they meet twice.
// Weakened: LOSE=RELAXED: the winner has not seen the loser's stores. WAKE=RELAXED.
#include "atomics.h"

#ifndef LOSE
#define LOSE RELEASE
#endif
#ifndef WAKE
#define WAKE RELEASE
#endif

#define ITEMS 4

void meet(global atomic_uint *lost, global atomic_uint *awake, uint me, uint meeting)
{
  for (uint step = 1; step < ITEMS; step *= 2) {
    if ((me & step) != 0) {
      STORE(&lost[me], meeting, LOSE);
      while (LOAD(awake, ACQUIRE) < meeting) {
      }
      return;
    }
    while (LOAD(&lost[me + step], ACQUIRE) < meeting) {
    }
  }
  STORE(awake, meeting, WAKE);
}

kernel void f(global atomic_uint *lost, global atomic_uint *awake, global uint *data, global uint *out)
{
  const uint me = get_global_id(0);
  data[me] = me + 1;
  meet(lost, awake, me, 1);
  out[me] = data[(me + 1) % ITEMS];
  meet(lost, awake, me, 2);
  data[me] = 7;
}
