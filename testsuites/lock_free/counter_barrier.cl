// A barrier by a count that only grows.
//
// Source: S. Xiao, W. Feng, Inter-Block GPU Communication via Fast Barrier Synchronization, IPDPS 2010 (simple synchronization, whose goal grows).
// Launch: two work-groups of two work-items that run at the same time. The leaders meet, and the barriers of the groups
// hand on what is before and behind.
// Weakened: ARRIVE=RELAXED, WAIT=RELAXED. FLAGS=CLK_LOCAL_MEM_FENCE: the group's barriers order local memory only.
#include "atomics.h"

#ifndef ARRIVE
#define ARRIVE RELEASE
#endif
#ifndef WAIT
#define WAIT ACQUIRE
#endif
#ifndef FLAGS
#define FLAGS CLK_GLOBAL_MEM_FENCE
#endif

void meet(global atomic_uint *arrived, uint goal)
{
  barrier(FLAGS);
  if (get_local_id(0) == 0) {
    ADD(arrived, 1, ARRIVE);
    while (LOAD(arrived, WAIT) < goal) {
    }
  }
  barrier(FLAGS);
}

kernel void f(global atomic_uint *arrived, global uint *data, global uint *out)
{
  const uint me = get_global_id(0);
  data[me] = me + 1;
  meet(arrived, get_num_groups(0));
  out[me] = data[3 - me];
  meet(arrived, 2 * get_num_groups(0));
  data[me] = 7;
}
