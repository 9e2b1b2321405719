// Local data published through a flag in global memory, by fences for both kinds of memory.
//
// Source: OpenCL API 3.3.7, two fences with both CLK_GLOBAL_MEM_FENCE and CLK_LOCAL_MEM_FENCE.
// Launch: work-item 0 sends, the others of the group wait.
// Weakened: FLAGS=CLK_GLOBAL_MEM_FENCE: local memory keeps no order.
#define SCOPE memory_scope_work_group
#include "atomics.h"

#ifndef FLAGS
#define FLAGS (CLK_GLOBAL_MEM_FENCE | CLK_LOCAL_MEM_FENCE)
#endif

kernel void f(global atomic_uint *flag, global uint *out)
{
  local uint data;
  const uint i = get_local_id(0);
  if (i == 0) {
    data = 42;
    atomic_work_item_fence(FLAGS, RELEASE, SCOPE);
    STORE(flag, 1, RELAXED);
  } else {
    while (LOAD(flag, RELAXED) == 0) {
    }
    atomic_work_item_fence(FLAGS, ACQUIRE, SCOPE);
    out[i] = data;
  }
}
