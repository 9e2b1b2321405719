// A lock by an atomic_flag.
//
// Source: OpenCL C 6.15.12.7, atomic_flag.
// Launch: each work-item enters twice and increments a plain counter.
// Weakened: ENTER=RELAXED, LEAVE=RELAXED.
#include "atomics.h"

#ifndef ENTER
#define ENTER ACQUIRE
#endif
#ifndef LEAVE
#define LEAVE RELEASE
#endif

kernel void f(global atomic_flag *lock, global uint *count)
{
  for (uint k = 0; k < 2; ++k) {
    while (atomic_flag_test_and_set_explicit(lock, ENTER, SCOPE)) {
    }
    *count += 1;
    atomic_flag_clear_explicit(lock, LEAVE, SCOPE);
  }
}
