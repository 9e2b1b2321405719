// A message that is handed on by relaxed read-modify-writes: they continue the sender's release sequence.
//
// Source: OpenCL API 3.3.6, release sequence; M. Batty, S. Owens, S. Sarkar, P. Sewell, T. Weber, Mathematizing C++
// Concurrency, POPL 2011.
// Launch: work-item 0 sends, two others count, the last one waits for both.
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
  const uint i = get_global_id(0);
  if (i == 0) {
    *data = 42;
    STORE(x, 1, SEND);
  } else if (i == 3) {
    while (LOAD(x, RECEIVE) != 3) {
    }
    *out = *data;
  } else {
    while (LOAD(x, RELAXED) == 0) {
    }
    ADD(x, 1, RELAXED);
  }
}
