// A lock that stays in a work-group while others of the group want it: a lock in local memory above one in global memory.
//
// Source: D. Dice, V. J. Marathe, N. Shavit, Lock Cohorting: A General Technique for Designing NUMA Locks, PPoPP 2012.
// Launch: two work-groups of two work-items enter once each and increment a plain global counter.
// Why the local lock has fences: local atomics order local memory only; fences for both kinds of memory order both.
// Weakened: FLAGS=CLK_LOCAL_MEM_FENCE: the counter is in global memory. LEAVE=RELAXED: the other group sees nothing.
#include "atomics.h"

#ifndef FLAGS
#define FLAGS (CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE)
#endif
#ifndef LEAVE
#define LEAVE RELEASE
#endif
#define GROUP memory_scope_work_group

kernel void f(global atomic_uint *lock, global uint *count)
{
  local atomic_uint next, serving;
  local uint owns;
  if (get_local_id(0) == 0) {
    atomic_init(&next, 0);
    atomic_init(&serving, 0);
    owns = 0;
  }
  barrier(CLK_LOCAL_MEM_FENCE);

  const uint ticket = atomic_fetch_add_explicit(&next, 1, RELAXED, GROUP);
  while (atomic_load_explicit(&serving, RELAXED, GROUP) != ticket) {
  }
  atomic_work_item_fence(FLAGS, ACQUIRE, GROUP);
  if (!owns) {
    uint is_free = 0;
    while (!CAS(lock, &is_free, 1, ACQUIRE, RELAXED)) is_free = 0;
    owns = 1;
  }
  *count += 1;
  if (atomic_load_explicit(&next, RELAXED, GROUP) == ticket + 1) {
    owns = 0;
    STORE(lock, 0, LEAVE);
  }
  atomic_work_item_fence(FLAGS, RELEASE, GROUP);
  atomic_store_explicit(&serving, ticket + 1, RELAXED, GROUP);
}
