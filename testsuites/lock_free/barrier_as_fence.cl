// A barrier of device scope also is a fence of that scope for each work-item: a release before it, an acquire after it.
//
// Source: OpenCL API 3.3.8, entry and exit fences of a barrier.
// Launch: two work-groups of two work-items; each item of the first tells its own partner in the second.
// Weakened: WIDE=memory_scope_work_group: fences that do not reach the other group.
#include "atomics.h"

#ifndef WIDE
#define WIDE memory_scope_device
#endif

kernel void f(global atomic_uint *flags, global uint *data, global uint *out)
{
  const uint l = get_local_id(0);
  if (get_group_id(0) == 0) {
    data[l] = l + 1;
    work_group_barrier(CLK_GLOBAL_MEM_FENCE, WIDE);
    STORE(&flags[l], 1, RELAXED);
  } else {
    while (LOAD(&flags[l], RELAXED) == 0) {
    }
    work_group_barrier(CLK_GLOBAL_MEM_FENCE, WIDE);
    out[l] = data[l];
  }
}
