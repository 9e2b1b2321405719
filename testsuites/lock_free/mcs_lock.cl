// A lock as a queue of nodes; each work-item spins on its own node.
//
// Source: J. M. Mellor-Crummey, M. L. Scott, Algorithms for Scalable Synchronization on Shared-Memory
// Multiprocessors, ACM TOCS 9(1), 1991.
// Launch: each work-item enters twice and increments a plain counter.
// Weakened: HAND_OVER=RELAXED: the next one does not see what was done. LAST=RELAXED: nor does one who finds
// the lock free.
#include "atomics.h"

#ifndef HAND_OVER
#define HAND_OVER RELEASE
#endif
#ifndef LAST
#define LAST RELEASE
#endif

struct lock {
  atomic_uint tail;  // a node's index + 1
  atomic_uint waits[4];
  atomic_uint next[4];
};

void enter(global struct lock *lock, uint me)
{
  STORE(&lock->next[me], 0, RELAXED);
  const uint before = SWAP(&lock->tail, me + 1, ACQ_REL);
  if (before == 0) return;
  STORE(&lock->waits[me], 1, RELAXED);
  STORE(&lock->next[before - 1], me + 1, RELEASE);
  while (LOAD(&lock->waits[me], ACQUIRE) != 0) {
  }
}

void leave(global struct lock *lock, uint me)
{
  uint after = LOAD(&lock->next[me], ACQUIRE);
  if (after == 0) {
    uint last = me + 1;
    if (CAS(&lock->tail, &last, 0, LAST, RELAXED)) return;
    while ((after = LOAD(&lock->next[me], ACQUIRE)) == 0) {
    }
  }
  STORE(&lock->waits[after - 1], 0, HAND_OVER);
}

kernel void f(global struct lock *lock, global uint *count)
{
  const uint me = get_global_id(0);
  for (uint k = 0; k < 2; ++k) {
    enter(lock, me);
    *count += 1;
    leave(lock, me);
  }
}
