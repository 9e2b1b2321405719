// A barrier by a count and a generation, whose operations are relaxed, with fences beside them.
//
// Source: OpenCL API 3.3.6.6 (fences), as in the barrier of libgomp.
// Launch: three work-items; each of two rounds meets twice.
// Weakened: BEFORE=RELAXED, AFTER=RELAXED, LAST=RELAXED.
#include "atomics.h"

#ifndef BEFORE
#define BEFORE RELEASE
#endif
#ifndef AFTER
#define AFTER ACQUIRE
#endif
#ifndef LAST
#define LAST ACQ_REL
#endif

kernel void f(global atomic_uint *count, global atomic_uint *generation, global uint *a, global uint *b)
{
  const uint id = get_global_id(0), n = get_global_size(0);
  for (uint k = 0; k < 2; ++k) {
    a[id] = 10 * k + id;
    for (uint h = 0; h < 2; ++h) {
      const uint now = LOAD(generation, RELAXED);
      FENCE(BEFORE);
      if (ADD(count, 1, RELAXED) == n - 1) {
        FENCE(LAST);
        STORE(count, 0, RELAXED);
        FENCE(RELEASE);
        STORE(generation, now + 1, RELAXED);
      } else {
        while (LOAD(generation, RELAXED) == now) {
        }
        FENCE(AFTER);
      }
      if (h == 0) b[id] = a[(id + 1) % n];
    }
  }
}
