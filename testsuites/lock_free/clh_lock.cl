// A lock as a queue; each work-item spins on the node of the one before it, and takes that node along.
//
// Source: T. S. Craig, Building FIFO and Priority-Queueing Spin Locks from Atomic Swap, TR 93-02-02, University of
// Washington, 1993; P. Magnusson, A. Landin, E. Hagersten, Queue Locks on Cache Coherent Multiprocessors, IPPS 1994.
// Launch: each work-item enters twice and increments a plain counter. Node 0 is that of nobody, at the start.
// Weakened: QUEUE=RELAXED: the next one may not see that the node is taken. LEAVE=RELAXED: nothing is released.
#include "atomics.h"

#ifndef QUEUE
#define QUEUE ACQ_REL
#endif
#ifndef LEAVE
#define LEAVE RELEASE
#endif

kernel void f(global atomic_uint *tail, global atomic_uint *taken, global uint *count)
{
  uint mine = get_global_id(0) + 1;
  for (uint k = 0; k < 2; ++k) {
    STORE(&taken[mine], 1, RELAXED);
    const uint before = SWAP(tail, mine, QUEUE);
    while (LOAD(&taken[before], ACQUIRE) != 0) {
    }
    *count += 1;
    STORE(&taken[mine], 0, LEAVE);
    mine = before;
  }
}
