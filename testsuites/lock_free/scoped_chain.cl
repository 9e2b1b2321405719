// A message that goes through a work-item of the same group, with the scope of the group, and then to another group.
//
// Source: OpenCL API 3.3.6: happens-before is transitive, also over synchronizations of different scopes.
// Launch: two work-groups of two work-items.
// Weakened: FIRST=RELAXED: nothing comes to the one between. SECOND=RELAXED: nor from there. OUTER=memory_scope_work_group: of several groups.
#include "atomics.h"

#ifndef FIRST
#define FIRST RELEASE
#endif
#ifndef SECOND
#define SECOND RELEASE
#endif
#ifndef OUTER
#define OUTER memory_scope_device
#endif

kernel void f(global atomic_uint *inner, global atomic_uint *outer, global uint *data, global uint *out)
{
  const uint i = get_global_id(0);
  if (i == 0) {
    *data = 42;
    atomic_store_explicit(inner, 1, FIRST, memory_scope_work_group);
  } else if (i == 1) {
    while (atomic_load_explicit(inner, ACQUIRE, memory_scope_work_group) == 0) {
    }
    atomic_store_explicit(outer, 1, SECOND, OUTER);
  } else {
    while (atomic_load_explicit(outer, ACQUIRE, OUTER) == 0) {
    }
    out[i - 2] = *data;
  }
}
