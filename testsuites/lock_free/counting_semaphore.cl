// A semaphore: permits that are given and taken by read-modify-writes.
//
// Source: E. W. Dijkstra, Cooperating Sequential Processes, 1965.
// Launch: work-item 0 stores, and gives two permits; the others take one each, and read what was stored before the first.
// Weakened: GIVE=RELAXED, TAKE=RELAXED.
#include "atomics.h"

#ifndef GIVE
#define GIVE RELEASE
#endif
#ifndef TAKE
#define TAKE ACQUIRE
#endif

kernel void f(global atomic_uint *permits, global uint *data, global uint *out)
{
  const uint i = get_global_id(0);
  if (i == 0) {
    for (uint k = 0; k < 2; ++k) {
      data[k] = k + 1;
      ADD(permits, 1, GIVE);
    }
    return;
  }
  uint found = LOAD(permits, RELAXED);
  while (found == 0 || !CAS(permits, &found, found - 1, TAKE, RELAXED)) {
    if (found == 0) found = LOAD(permits, RELAXED);
  }
  out[i] = data[0];
}
