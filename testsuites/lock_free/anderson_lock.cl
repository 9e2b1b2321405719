// A lock as an array of flags; each work-item spins on a place of its own.
//
// Source: T. E. Anderson, The Performance of Spin Lock Alternatives for Shared-Memory Multiprocessors, IEEE TPDS 1(1), 1990.
// Launch: each work-item enters twice and increments a plain counter. The first place may go at the start.
// Why the ticket needs an order: a work-item whose first ticket is the fourth must not see that the first place may go,
// which was so at the start. Of so many tickets somebody took two; what he had seen goes on with his second one.
// Weakened: TICKET=RELAXED, ENTER=RELAXED, LEAVE=RELAXED.
#include "atomics.h"

#ifndef TICKET
#define TICKET ACQ_REL
#endif
#ifndef ENTER
#define ENTER ACQUIRE
#endif
#ifndef LEAVE
#define LEAVE RELEASE
#endif

kernel void f(global atomic_uint *next, global atomic_uint *may_go, global uint *count)
{
  const uint places = get_global_size(0);
  for (uint k = 0; k < 2; ++k) {
    const uint place = ADD(next, 1, TICKET) % places;
    while (LOAD(&may_go[place], ENTER) == 0) {
    }
    STORE(&may_go[place], 0, RELAXED);
    *count += 1;
    STORE(&may_go[(place + 1) % places], 1, LEAVE);
  }
}
