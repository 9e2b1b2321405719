// A message within a group by accesses of device scope and fences of work-group scope: of fences their own scopes count.
//
// Source: OpenCL API 3.3.7: "and that the scopes of A, B are inclusive", of the fences A and B.
// Launch: two sub-groups of one work-item.
// Weakened: NARROW=memory_scope_sub_group: the fences do not reach the other one.
#include "atomics.h"

#ifndef NARROW
#define NARROW memory_scope_work_group
#endif

kernel void f(global atomic_uint *flag, global uint *data, global uint *out)
{
  if (get_global_id(0) == 0) {
    *data = 42;
    atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, RELEASE, NARROW);
    STORE(flag, 1, RELAXED);
  } else {
    while (LOAD(flag, RELAXED) == 0) {
    }
    atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, ACQUIRE, NARROW);
    *out = *data;
  }
}
