// One release fence before the flags of several receivers, and one acquire fence behind the flags of several senders.
//
// Source: OpenCL API 3.3.7: any atomic store behind the fence, any atomic load before it.
// Launch: work-item 0 tells two others, who compute and tell the last one.
// Weakened: SCATTER=RELAXED, GATHER=RELAXED: no fence. LATE: what is stored behind the fence is not released.
#include "atomics.h"

#ifndef SCATTER
#define SCATTER RELEASE
#endif
#ifndef GATHER
#define GATHER ACQUIRE
#endif
#ifndef LATE
#define LATE 0
#endif

kernel void f(global atomic_uint *flags, global uint *data, global uint *out)
{
  const uint i = get_global_id(0);
  if (i == 0) {
    if (!LATE) data[0] = 40;
    FENCE(SCATTER);
    if (LATE) data[0] = 40;
    STORE(&flags[1], 1, RELAXED);
    STORE(&flags[2], 1, RELAXED);
  } else if (i == 3) {
    while (LOAD(&flags[3], RELAXED) == 0) {
    }
    while (LOAD(&flags[4], RELAXED) == 0) {
    }
    FENCE(GATHER);
    *out = data[1] + data[2];
  } else {
    while (LOAD(&flags[i], ACQUIRE) == 0) {
    }
    data[i] = data[0] + i;
    STORE(&flags[i + 2], 1, RELEASE);
  }
}
