// Two buffers that a producer and a consumer exchange: one is filled while the other is read.
//
// Source: double buffering as in the CUDA C++ Programming Guide, Producer-Consumer Pattern; here by a flag a buffer.
// Launch: four rounds of two values.
// Weakened: FILL=RELAXED, SEE_FULL=RELAXED, DRAIN=RELAXED, SEE_EMPTY=RELAXED.
#include "atomics.h"

#ifndef FILL
#define FILL RELEASE
#endif
#ifndef SEE_FULL
#define SEE_FULL ACQUIRE
#endif
#ifndef DRAIN
#define DRAIN RELEASE
#endif
#ifndef SEE_EMPTY
#define SEE_EMPTY ACQUIRE
#endif

kernel void f(global atomic_uint *is_full, global uint2 *buffers, global uint *out)
{
  for (uint k = 0; k < 4; ++k) {
    const uint b = k % 2;
    if (get_global_id(0) == 0) {
      while (LOAD(&is_full[b], SEE_EMPTY) != 0) {
      }
      buffers[b] = (uint2)(k, k * k);
      STORE(&is_full[b], 1, FILL);
    } else {
      while (LOAD(&is_full[b], SEE_FULL) == 0) {
      }
      out[k] = buffers[b].x + buffers[b].y;
      STORE(&is_full[b], 0, DRAIN);
    }
  }
}
