// A lock that serves work-items in the order of their tickets.
//
// Source: D. P. Reed, R. K. Kanodia, Synchronization with Eventcounts and Sequencers, CACM 22(2), 1979;
// J. M. Mellor-Crummey, M. L. Scott, ACM TOCS 9(1), 1991.
// Launch: each work-item enters twice and increments a plain counter.
// Weakened: LEAVE=RELAXED, ENTER=RELAXED.
#include "atomics.h"

#ifndef ENTER
#define ENTER ACQUIRE
#endif
#ifndef LEAVE
#define LEAVE RELEASE
#endif

kernel void f(global atomic_uint *next, global atomic_uint *serving, global uint *count)
{
  for (uint k = 0; k < 2; ++k) {
    const uint ticket = ADD(next, 1, RELAXED);
    while (LOAD(serving, ENTER) != ticket) {
    }
    *count += 1;
    STORE(serving, ticket + 1, LEAVE);
  }
}
