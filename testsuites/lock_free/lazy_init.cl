// An object that several make and one publishes by a compare-and-swap; the others take that one.
//
// Source: D. Schmidt, T. Harrison, Double-Checked Locking, 1996, without the lock.
// Launch: three work-items.
// Weakened: PUBLISH=RELAXED with LOST=RELAXED, since failure is no stronger than success, LOOK=RELAXED. LOST=RELAXED: the order of a compare-and-swap that fails.
#include "atomics.h"

#ifndef PUBLISH
#define PUBLISH RELEASE
#endif
#ifndef LOOK
#define LOOK ACQUIRE
#endif
#ifndef LOST
#define LOST ACQUIRE
#endif

kernel void f(global atomic_uint *pointer, global uint *objects, global uint *out)
{
  const uint id = get_global_id(0);
  uint at = LOAD(pointer, LOOK);
  if (at == 0) {
    objects[id] = 42;
    if (CAS(pointer, &at, id + 1, PUBLISH, LOST)) at = id + 1;
  }
  out[id] = objects[at - 1];
}
