// A count of progress that is read without order, and never goes back for those who tell each other what they have read.
//
// Source: OpenCL API 3.3.6, read-read coherence: what is read after a message is not older than what was read before it.
// Launch: work-item 0 counts; the next one reads and tells; the last one hears and reads.
// Weakened: TELL=RELAXED, HEAR=RELAXED: the count may be older than what was heard.
#include "atomics.h"

#ifndef TELL
#define TELL RELEASE
#endif
#ifndef HEAR
#define HEAR ACQUIRE
#endif

kernel void f(global atomic_uint *count, global atomic_uint *told, global uint *wrong)
{
  const uint i = get_global_id(0);
  for (uint k = 0; k < 3; ++k) {
    if (i == 0) {
      STORE(count, k + 1, RELAXED);
    } else if (i == 1) {
      STORE(told, LOAD(count, RELAXED), TELL);
    } else {
      const uint heard = LOAD(told, HEAR);
      if (LOAD(count, RELAXED) < heard) *wrong = 1;
    }
  }
}
