// An election: who loses reads what the winner has published. The only acquire is the order of a compare-and-swap that fails.
//
// Source: OpenCL C 6.15.12.7.4.
// Launch: three work-items.
// Weakened: WIN=RELAXED with LOSE=RELAXED, since failure is no stronger than success; LOSE=RELAXED.
#include "atomics.h"

#ifndef WIN
#define WIN RELEASE
#endif
#ifndef LOSE
#define LOSE ACQUIRE
#endif

kernel void f(global atomic_uint *winner, global uint *data, global uint *out)
{
  const uint id = get_global_id(0);
  data[id] = 7;
  uint seen = 0;
  out[id] = CAS(winner, &seen, id + 1, WIN, LOSE) ? data[id] : data[seen - 1];
}
