// Mutual exclusion by numbers that each takes by loads and stores.
//
// Source: L. Lamport, A New Solution of Dijkstra's Concurrent Programming Problem, CACM 17(8), 1974.
// Launch: three work-items enter once and increment a plain counter.
// Weakened: LOOK=ACQUIRE: a number that was taken at the same time may be missed. LEAVE=RELAXED: nothing is released.
#include "atomics.h"

#ifndef LOOK
#define LOOK SEQ_CST
#endif
#ifndef LEAVE
#define LEAVE RELEASE
#endif

kernel void f(global atomic_uint *chooses, global atomic_uint *number, global uint *count)
{
  const uint me = get_global_id(0);
  const uint items = get_global_size(0);
  STORE(&chooses[me], 1, SEQ_CST);
  uint most = 0;
  for (uint i = 0; i < items; ++i) most = max(most, LOAD(&number[i], LOOK));
  STORE(&number[me], most + 1, SEQ_CST);
  STORE(&chooses[me], 0, SEQ_CST);
  for (uint i = 0; i < items; ++i) {
    if (i == me) continue;
    while (LOAD(&chooses[i], LOOK) != 0) {
    }
    uint its = 0;
    do {
      its = LOAD(&number[i], LOOK);
    } while (its != 0 && (its < most + 1 || (its == most + 1 && i < me)));
  }
  *count += 1;
  STORE(&number[me], 0, LEAVE);
}
