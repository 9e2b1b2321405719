// Readers that take several words at once without a lock, and try again if a writer was there meanwhile.
//
// Source: H.-J. Boehm, Can Seqlocks Get Along with Programming Language Memory Models?, MSPC 2012, figures 3 and 6.
// Launch: work-item 0 writes two pairs of equal words; the others read up to three times. A pair that counts as read
// and is not equal is an error.
// Weakened: READ_FENCE=RELAXED: the second look at the number may be older than the data. WRITE_FENCE=RELAXED: the data may be
// seen before the odd number. PUBLISH=RELAXED: after the even number the data may still be old.
#include "atomics.h"

#ifndef READ_FENCE
#define READ_FENCE ACQUIRE
#endif
#ifndef WRITE_FENCE
#define WRITE_FENCE RELEASE
#endif
#ifndef PUBLISH
#define PUBLISH RELEASE
#endif

kernel void f(global atomic_uint *number, global atomic_uint *words, global uint *torn)
{
  const uint i = get_global_id(0);
  if (i == 0) {
    for (uint k = 1; k <= 2; ++k) {
      const uint even = LOAD(number, RELAXED);
      STORE(number, even + 1, RELAXED);
      FENCE(WRITE_FENCE);
      STORE(&words[0], k, RELAXED);
      STORE(&words[1], k, RELAXED);
      STORE(number, even + 2, PUBLISH);
    }
    return;
  }
  for (uint k = 0; k < 3; ++k) {
    const uint before = LOAD(number, ACQUIRE);
    const uint a = LOAD(&words[0], RELAXED);
    const uint b = LOAD(&words[1], RELAXED);
    FENCE(READ_FENCE);
    const uint after = LOAD(number, RELAXED);
    if (before != after || (before & 1) != 0) continue;
    if (a != b || a != before / 2) torn[i] += 1;
    return;
  }
}
