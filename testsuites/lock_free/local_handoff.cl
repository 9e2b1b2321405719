// A value handed over in local memory, with the scope of the work-group.
//
// Source: OpenCL API 3.3.4 (inclusive scopes) and 3.3.6 (local-synchronizes-with).
// Launch: each sub-group hands on to the next one, around the work-group.
// Weakened: SCOPE=memory_scope_sub_group: the two are of different sub-groups. GIVE=RELAXED, TAKE=RELAXED.
#ifndef SCOPE
#define SCOPE memory_scope_work_group
#endif
#include "atomics.h"

#ifndef GIVE
#define GIVE RELEASE
#endif
#ifndef TAKE
#define TAKE ACQUIRE
#endif

kernel void f(global uint *out)
{
  local atomic_uint given[4];
  local uint data[4];
  const uint me = get_local_id(0);
  atomic_init(&given[me], 0);
  barrier(CLK_LOCAL_MEM_FENCE);
  if (me > 0) {
    while (LOAD(&given[me - 1], TAKE) == 0) {
    }
  }
  data[me] = me > 0 ? data[me - 1] + me : 1;
  STORE(&given[me], 1, GIVE);
  out[me] = data[me];
}
