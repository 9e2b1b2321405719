// A barrier of a work-group's items in local memory, whose meaning of `go` alternates.
//
// Source: J. M. Mellor-Crummey, M. L. Scott, ACM TOCS 9(1), 1991.
// Launch: one work-group of four work-items in two sub-groups. Twice each reads what its neighbour has stored before.
// Weakened: ARRIVE=RELAXED, GO=RELAXED, WAIT=RELAXED. SCOPE=memory_scope_sub_group.
#ifndef SCOPE
#define SCOPE memory_scope_work_group
#endif
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

void meet(local atomic_uint *arrived, local atomic_uint *go, uint sense)
{
  if (ADD(arrived, 1, ARRIVE) == get_local_size(0) - 1) {
    STORE(arrived, 0, RELAXED);
    STORE(go, sense, GO);
  } else {
    while (LOAD(go, WAIT) != sense) {
    }
  }
}

kernel void f(global uint *out)
{
  local atomic_uint arrived, go;
  local uint data[4];
  const uint me = get_local_id(0);
  if (me == 0) {
    atomic_init(&arrived, 0);
    atomic_init(&go, 0);
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  data[me] = me + 1;
  meet(&arrived, &go, 1);
  out[get_global_id(0)] = data[(me + 1) % 4];
  meet(&arrived, &go, 0);
  data[me] = 7;
}
