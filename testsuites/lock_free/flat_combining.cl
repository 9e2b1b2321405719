// Requests that one work-item carries out for all who have posted theirs.
//
// Source: D. Hendler, I. Incze, N. Shavit, M. Tzafrir, Flat Combining and the Synchronization-Parallelism Tradeoff, SPAA 2010.
// Launch: each work-item adds its number to a plain sum, and gets the sum of that moment.
// Weakened: POST=RELAXED, ANSWER=RELAXED: request and answer are plain memory. UNLOCK=RELAXED.
#include "atomics.h"

#ifndef POST
#define POST RELEASE
#endif
#ifndef ANSWER
#define ANSWER RELEASE
#endif
#ifndef UNLOCK
#define UNLOCK RELEASE
#endif

#define ITEMS 3

kernel void f(global atomic_uint *lock, global atomic_uint *posted, global uint *request, global uint *sum,
              global atomic_uint *total)
{
  const uint me = get_global_id(0);
  request[me] = 1 << me;
  STORE(&posted[me], 1, POST);
  while (LOAD(&posted[me], ACQUIRE) != 0) {
    uint is_free = 0;
    if (LOAD(lock, RELAXED) != 0 || !CAS(lock, &is_free, 1, ACQUIRE, RELAXED)) continue;
    for (uint i = 0; i < ITEMS; ++i) {
      if (LOAD(&posted[i], ACQUIRE) == 0) continue;
      *sum += request[i];
      request[i] = *sum;
      STORE(&posted[i], 0, ANSWER);
    }
    STORE(lock, 0, UNLOCK);
  }
  MAX(total, request[me], RELAXED);
}
