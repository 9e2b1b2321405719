// Messages there and back: a release fence that an acquire operation meets, and a release operation that an acquire fence meets.
//
// Source: OpenCL API 3.3.7.
// Launch: work-item 0 asks, the other answers.
// Weakened: ASK_FENCE=RELAXED, HEAR=RELAXED, ANSWER=RELAXED, ANSWER_FENCE=RELAXED.
#include "atomics.h"

#ifndef ASK_FENCE
#define ASK_FENCE RELEASE
#endif
#ifndef HEAR
#define HEAR ACQUIRE
#endif
#ifndef ANSWER
#define ANSWER RELEASE
#endif
#ifndef ANSWER_FENCE
#define ANSWER_FENCE ACQUIRE
#endif

kernel void f(global atomic_uint *asked, global atomic_uint *answered, global uint *data, global uint *out)
{
  if (get_global_id(0) == 0) {
    *data = 20;
    FENCE(ASK_FENCE);
    STORE(asked, 1, RELAXED);
    while (LOAD(answered, RELAXED) == 0) {
    }
    FENCE(ANSWER_FENCE);
    *out = *data;
  } else {
    while (LOAD(asked, HEAR) == 0) {
    }
    *data += 1;
    STORE(answered, 1, ANSWER);
  }
}
