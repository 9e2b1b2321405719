// Each sub-group takes places for its records by one addition of its leader; the last one that has filled its own adds all up.
//
// Source: A. Adinets, CUDA Pro Tip: Optimized Filtering with Warp-Aggregated Atomics, NVIDIA 2014.
// Launch: two work-groups of two sub-groups of two work-items.
// Weakened: GATHER=CLK_LOCAL_MEM_FENCE: the records are in global memory. FULL=RELAXED.
#pragma OPENCL EXTENSION cl_khr_subgroups : enable
#include "atomics.h"

#ifndef GATHER
#define GATHER CLK_GLOBAL_MEM_FENCE
#endif
#ifndef FULL
#define FULL RELEASE
#endif

kernel void f(global atomic_uint *place, global atomic_uint *full, global uint *records, global uint *sum)
{
  const uint lanes = get_sub_group_size();
  const uint lane = get_sub_group_local_id();
  uint first = 0;
  if (lane == 0) first = ADD(place, lanes, RELAXED);
  first = sub_group_broadcast(first, 0);
  records[first + lane] = get_global_id(0) + 1;
  sub_group_barrier(GATHER, memory_scope_device);
  if (lane == 0) {
    if (ADD(full, lanes, FULL == RELEASE ? ACQ_REL : RELAXED) + lanes == get_global_size(0)) {
      uint s = 0;
      for (uint i = 0; i < get_global_size(0); ++i) s += records[i];
      *sum = s;
    }
  }
}
