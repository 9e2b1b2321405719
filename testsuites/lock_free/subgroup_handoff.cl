// A value handed from lane to lane with the scope of the sub-group.
//
// Source: OpenCL API 3.3.4 (inclusive scopes) and 3.3.6.
// Launch: two sub-groups of three work-items; lanes wait for the one before them.
// Weakened: GIVE=RELAXED, TAKE=RELAXED. FROM=6: the first lane of the second sub-group waits for the first sub-group, too.
#define SCOPE memory_scope_sub_group
#include "atomics.h"

#ifndef GIVE
#define GIVE RELEASE
#endif
#ifndef TAKE
#define TAKE ACQUIRE
#endif
#ifndef FROM
#define FROM 3  // work-items that hand on to each other
#endif

kernel void f(global atomic_uint *given, global uint *data)
{
  const uint me = get_global_id(0);
  if (me % FROM > 0) {
    while (LOAD(&given[me - 1], TAKE) == 0) {
    }
  }
  data[me] = me % FROM > 0 ? data[me - 1] + 1 : 1;
  STORE(&given[me], 1, GIVE);
}
