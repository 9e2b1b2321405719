// Initialization on first use: a look without the lock, and a second one with it.
//
// Source: D. C. Schmidt, T. Harrison, Double-Checked Locking, PLoP 1996; S. Meyers, A. Alexandrescu, C++ and the
// Perils of Double-Checked Locking, 2004.
// Launch: each work-item uses the value; one of them makes it.
// Weakened: FIRST=RELAXED: the value is not acquired. READY=RELAXED: it is not released to those without the lock.
#include "atomics.h"

#ifndef FIRST
#define FIRST ACQUIRE
#endif
#ifndef READY
#define READY RELEASE
#endif

kernel void f(global atomic_uint *is_ready, global atomic_uint *lock, global uint *value, global uint *made,
              global uint *out)
{
  if (LOAD(is_ready, FIRST) == 0) {
    uint is_free = 0;
    while (!CAS(lock, &is_free, 1, ACQUIRE, RELAXED)) is_free = 0;
    if (LOAD(is_ready, RELAXED) == 0) {
      *value = 42;
      *made += 1;
      STORE(is_ready, 1, READY);
    }
    STORE(lock, 0, RELEASE);
  }
  out[get_global_id(0)] = *value;
}
