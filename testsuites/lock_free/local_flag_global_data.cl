// Global data published through a flag in local memory: fences for both kinds of memory make the order of one that of the other.
//
// Source: OpenCL API 3.3.7, two fences with both CLK_GLOBAL_MEM_FENCE and CLK_LOCAL_MEM_FENCE.
// Launch: work-item 0 sends, the others of the group wait.
// Weakened: FLAGS=CLK_LOCAL_MEM_FENCE: global memory keeps no order, for a local flag orders local memory only.
// ORDER=RELAXED: no fences.
#define SCOPE memory_scope_work_group
#include "atomics.h"

#ifndef FLAGS
#define FLAGS (CLK_GLOBAL_MEM_FENCE | CLK_LOCAL_MEM_FENCE)
#endif
#ifndef ORDER
#define ORDER ACQ_REL
#endif

kernel void f(global uint *data, global uint *out)
{
  local atomic_uint flag;
  const uint i = get_local_id(0);
  if (i == 0) atomic_init(&flag, 0);
  barrier(CLK_LOCAL_MEM_FENCE);
  if (i == 0) {
    *data = 42;
    atomic_work_item_fence(FLAGS, ORDER, SCOPE);
    STORE(&flag, 1, RELAXED);
  } else {
    while (LOAD(&flag, RELAXED) == 0) {
    }
    atomic_work_item_fence(FLAGS, ORDER, SCOPE);
    out[i] = *data;
  }
}
