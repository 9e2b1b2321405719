// A message by relaxed accesses to a flag, with a fence on each side.
//
// Source: OpenCL API 3.3.7, release fence that synchronizes with an acquire fence.
// Launch: work-item 0 sends; the others wait.
// Weakened: SEND_FENCE=RELAXED, RECEIVE_FENCE=RELAXED: no fence. SCOPE=memory_scope_sub_group: of several sub-groups.
#include "atomics.h"

#ifndef SEND_FENCE
#define SEND_FENCE RELEASE
#endif
#ifndef RECEIVE_FENCE
#define RECEIVE_FENCE ACQUIRE
#endif

kernel void f(global atomic_uint *flag, global uint *data, global uint *out)
{
  const uint i = get_global_id(0);
  if (i == 0) {
    *data = 42;
    FENCE(SEND_FENCE);
    STORE(flag, 1, RELAXED);
  } else {
    while (LOAD(flag, RELAXED) == 0) {
    }
    FENCE(RECEIVE_FENCE);
    out[i] = *data;
  }
}
