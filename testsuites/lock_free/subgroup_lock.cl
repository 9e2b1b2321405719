// A lock that one lane takes for its sub-group; barriers of the sub-group hand on what it has acquired, and gather what it releases.
//
// Source: OpenCL API 3.3.6 (happens-before is transitive) and 3.3.9.
// Launch: two sub-groups of two work-items; each lane increments a plain counter of its own that the sub-groups share.
// Weakened: FLAGS=CLK_LOCAL_MEM_FENCE: the counters are in global memory. LEAVE=RELAXED.
#pragma OPENCL EXTENSION cl_khr_subgroups : enable
#define SCOPE memory_scope_work_group
#include "atomics.h"

#ifndef FLAGS
#define FLAGS CLK_GLOBAL_MEM_FENCE
#endif
#ifndef LEAVE
#define LEAVE RELEASE
#endif

kernel void f(global atomic_uint *lock, global uint *counts)
{
  const uint lane = get_sub_group_local_id();
  for (uint k = 0; k < 2; ++k) {
    if (lane == 0) {
      uint is_free = 0;
      while (!CAS(lock, &is_free, 1, ACQUIRE, RELAXED)) is_free = 0;
    }
    sub_group_barrier(FLAGS);
    counts[lane] += 1;
    sub_group_barrier(FLAGS);
    if (lane == 0) STORE(lock, 0, LEAVE);
  }
}
