// A message that is received by a compare-and-swap that fails: then it is a load, of the order for failure.
//
// Source: OpenCL C 6.15.12.7.4.
// Launch: work-item 0 sends; the others compare with what never is there.
// Weakened: FAILURE=RELAXED. SEND=RELAXED.
#include "atomics.h"

#ifndef FAILURE
#define FAILURE ACQUIRE
#endif
#ifndef SEND
#define SEND RELEASE
#endif

kernel void f(global atomic_uint *flag, global uint *data, global uint *out)
{
  const uint i = get_global_id(0);
  if (i == 0) {
    *data = 42;
    STORE(flag, 1, SEND);
    return;
  }
  uint found = 0;
  do {
    found = 7;
    CAS(flag, &found, 8, ACQUIRE, FAILURE);
  } while (found == 0);
  out[i] = *data;
}
