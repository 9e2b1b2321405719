// Work-items of one group in turns through a barrier of sub-groups and a flag between them: order goes on through both.
//
// Source: OpenCL API 3.3.6 (happens-before is transitive) and 3.3.9 (barriers of sub-groups).
// Launch: two sub-groups of two work-items; all of the first store, one tells the second, whose lanes all read.
// Weakened: TELL=RELAXED. FLAGS=0: the barrier of the sub-group hands on nothing.
#pragma OPENCL EXTENSION cl_khr_subgroups : enable
#define SCOPE memory_scope_work_group
#include "atomics.h"

#ifndef TELL
#define TELL RELEASE
#endif
#ifndef FLAGS
#define FLAGS CLK_GLOBAL_MEM_FENCE
#endif

kernel void f(global atomic_uint *told, global uint *data, global uint *out)
{
  const uint lane = get_sub_group_local_id();
  if (get_sub_group_id() == 0) {
    data[lane] = lane + 1;
    sub_group_barrier(FLAGS);
    if (lane == 0) STORE(told, 1, TELL);
  } else {
    if (lane == 0) {
      while (LOAD(told, ACQUIRE) == 0) {
      }
    }
    sub_group_barrier(FLAGS);
    out[lane] = data[0] * 10 + data[1];
  }
}
