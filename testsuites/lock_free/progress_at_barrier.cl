// A count of progress that is read without order, and never goes back for those who have met at a barrier.
//
// Source: OpenCL API 3.3.6 (read-read coherence) and 3.3.8.
// Launch: the first work-group counts; the work-items of the second one read, meet, and read again.
// Weakened: FLAGS=CLK_LOCAL_MEM_FENCE: global memory keeps no order at the barrier.
#include "atomics.h"

#ifndef FLAGS
#define FLAGS (CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE)
#endif

kernel void f(global atomic_uint *count, global atomic_uint *wrong)
{
  local uint seen[2];
  const uint l = get_local_id(0);
  if (get_group_id(0) == 0) {
    if (l == 0) {
      for (uint k = 0; k < 3; ++k) STORE(count, k + 1, RELAXED);
    }
    return;
  }
  seen[l] = LOAD(count, RELAXED);
  barrier(FLAGS);
  if (LOAD(count, RELAXED) < seen[1 - l]) STORE(wrong, 1, RELAXED);
}
