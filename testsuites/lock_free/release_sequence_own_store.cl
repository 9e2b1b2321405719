// A message whose sender goes on storing to the flag: its own relaxed stores continue the release sequence.
//
// Source: OpenCL API 3.3.6: "every subsequent operation either is performed by the same work-item or host thread that
// performed the release or is an atomic read-modify-write operation" (C11 5.1.2.4; C++20 no longer says so).
// Launch: work-item 0 sends and counts on; the other waits for the last store.
// Weakened: SEND=RELAXED, RECEIVE=RELAXED.
#include "atomics.h"

#ifndef SEND
#define SEND RELEASE
#endif
#ifndef RECEIVE
#define RECEIVE ACQUIRE
#endif

kernel void f(global atomic_uint *x, global uint *data, global uint *out)
{
  if (get_global_id(0) == 0) {
    *data = 42;
    STORE(x, 1, SEND);
    STORE(x, 2, RELAXED);
  } else {
    while (LOAD(x, RECEIVE) != 2) {
    }
    *out = *data;
  }
}
