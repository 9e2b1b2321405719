// A bounded buffer of two producers and a consumer by counts of events, which only grow, and a sequencer.
//
// Source: D. P. Reed, R. K. Kanodia, Synchronization with Eventcounts and Sequencers, CACM 22(2), 1979, section 3.
// Launch: each producer puts two values through one place.
// Weakened: ADVANCE=RELAXED, AWAIT=RELAXED.
#include "atomics.h"

#ifndef ADVANCE
#define ADVANCE RELEASE
#endif
#ifndef AWAIT
#define AWAIT ACQUIRE
#endif

void await(global atomic_uint *count, uint value)
{
  while (LOAD(count, AWAIT) < value) {
  }
}

kernel void f(global atomic_uint *sequence, global atomic_uint *in, global atomic_uint *out, global uint *place,
              global uint *sum)
{
  const uint i = get_global_id(0);
  if (i == 2) {
    for (uint k = 0; k < 4; ++k) {
      await(in, k + 1);
      *sum += *place;
      ADD(out, 1, ADVANCE);
    }
    return;
  }
  for (uint k = 0; k < 2; ++k) {
    const uint ticket = ADD(sequence, 1, RELAXED);
    await(in, ticket);
    await(out, ticket);
    *place = 1 << (2 * i + k);
    ADD(in, 1, ADVANCE);
  }
}
