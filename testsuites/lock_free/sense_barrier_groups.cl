// A barrier across work-groups of one work-item, whose meaning of `go` alternates.
//
// Source: D. Hensgen, R. Finkel, U. Manber, Two Algorithms for Barrier Synchronization, IJPP 17(1), 1988; J. M. Mellor-Crummey,
// M. L. Scott, ACM TOCS 9(1), 1991.
// Launch: three work-groups that run at the same time. Twice each reads what its neighbour has stored before.
// Weakened: ARRIVE=RELAXED, ARRIVE=ACQUIRE: the last one has not seen the others' stores. GO=RELAXED, WAIT=RELAXED.
// SCOPE=memory_scope_work_group.
#include "atomics.h"

#ifndef ARRIVE
#define ARRIVE ACQ_REL
#endif
#ifndef GO
#define GO RELEASE
#endif
#ifndef WAIT
#define WAIT ACQUIRE
#endif

void meet(global atomic_uint *arrived, global atomic_uint *go, uint sense)
{
  if (ADD(arrived, 1, ARRIVE) == get_num_groups(0) - 1) {
    STORE(arrived, 0, RELAXED);
    STORE(go, sense, GO);
  } else {
    while (LOAD(go, WAIT) != sense) {
    }
  }
}

kernel void f(global atomic_uint *arrived, global atomic_uint *go, global uint *data, global uint *out)
{
  const uint me = get_group_id(0);
  const uint neighbour = (me + 1) % get_num_groups(0);
  data[me] = me + 1;
  meet(arrived, go, 1);
  out[me] = data[neighbour];
  meet(arrived, go, 0);
  data[me] = 7;
}
