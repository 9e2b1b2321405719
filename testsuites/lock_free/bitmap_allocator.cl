// Places that are taken and given back by bits of one word.
//
// Source: M. Steinberger et al., ScatterAlloc: Massively Parallel Dynamic Memory Allocation for the
// GPU, InPar 2012 (bits of a page).
// Launch: three work-items use two places twice each. The word is changed by read-modify-writes only, so that what
// gives a place back heads a release sequence that reaches who takes it next.
// Weakened: TAKE=RELAXED, GIVE=RELAXED.
#include "atomics.h"

#ifndef TAKE
#define TAKE ACQUIRE
#endif
#ifndef GIVE
#define GIVE RELEASE
#endif

#define PLACES 2

uint take(global atomic_uint *taken)
{
  for (;;) {
    for (uint place = 0; place < PLACES; ++place) {
      if ((LOAD(taken, RELAXED) >> place & 1) != 0) continue;
      if ((atomic_fetch_or_explicit(taken, 1 << place, TAKE, SCOPE) >> place & 1) == 0) return place;
    }
  }
}

kernel void f(global atomic_uint *taken, global uint *data, global uint *out)
{
  uint used = 0;
  for (uint k = 0; k < 2; ++k) {
    const uint place = take(taken);
    data[place] += 1;
    used += data[place] != 0;
    atomic_fetch_and_explicit(taken, ~(1u << place), GIVE, SCOPE);
  }
  out[get_global_id(0)] = used;
}

kernel void check(global const uint *data, global uint *sum)
{
  for (uint place = 0; place < PLACES; ++place) *sum += data[place];
}
