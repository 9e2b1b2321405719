// A barrier of all work-groups by flags: one group gathers them and lets all go.
//
// Source: S. Xiao, W. Feng, Inter-Block GPU Communication via Fast Barrier Synchronization, IPDPS 2010.
// Launch: three work-groups of two work-items.
// Weakened: ARRIVE=RELAXED, GATHER=RELAXED, GO=RELAXED. FLAGS=CLK_LOCAL_MEM_FENCE: the group's barriers do not gather global memory.
#include "atomics.h"

#ifndef ARRIVE
#define ARRIVE RELEASE
#endif
#ifndef GATHER
#define GATHER ACQUIRE
#endif
#ifndef GO
#define GO RELEASE
#endif
#ifndef FLAGS
#define FLAGS (CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE)
#endif

kernel void f(global atomic_uint *flag, global uint *a, global uint *b)
{
  const uint l = get_local_id(0), g = get_group_id(0), n = get_num_groups(0), id = get_global_id(0);
  a[id] = id + 1;
  barrier(FLAGS);
  if (g == 0) {
    if (l + 1 < n)
      while (LOAD(&flag[l + 1], GATHER) == 0) {
      }
    barrier(FLAGS);
    if (l + 1 < n) STORE(&flag[l + 1], 0, GO);
  } else {
    if (l == 0) {
      STORE(&flag[g], 1, ARRIVE);
      while (LOAD(&flag[g], ACQUIRE) == 1) {
      }
    }
  }
  barrier(FLAGS);
  b[id] = a[(id + get_local_size(0)) % get_global_size(0)];
}
