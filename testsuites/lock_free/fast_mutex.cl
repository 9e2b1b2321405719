// Mutual exclusion that takes seven accesses where nobody else comes.
//
// Source: L. Lamport, A Fast Mutual Exclusion Algorithm, ACM TOCS 5(1), 1987, algorithm 2.
// Launch: two work-items enter once and increment a plain counter.
// Weakened: LOOK=ACQUIRE: both may go on. FREE=RELAXED: nothing is released.
#include "atomics.h"

#ifndef LOOK
#define LOOK SEQ_CST
#endif
#ifndef FREE
#define FREE SEQ_CST
#endif

kernel void f(global atomic_uint *b, global atomic_uint *x, global atomic_uint *y, global uint *count)
{
  const uint me = get_global_id(0) + 1;
  for (;;) {
    STORE(&b[me], 1, SEQ_CST);
    STORE(x, me, SEQ_CST);
    if (LOAD(y, LOOK) != 0) {
      STORE(&b[me], 0, SEQ_CST);
      while (LOAD(y, LOOK) != 0) {
      }
      continue;
    }
    STORE(y, me, SEQ_CST);
    if (LOAD(x, LOOK) == me) break;
    STORE(&b[me], 0, SEQ_CST);
    for (uint i = 1; i <= get_global_size(0); ++i) {
      while (LOAD(&b[i], LOOK) != 0) {
      }
    }
    if (LOAD(y, LOOK) == me) break;
    while (LOAD(y, LOOK) != 0) {
    }
  }
  *count += 1;
  STORE(y, 0, FREE);
  STORE(&b[me], 0, FREE);
}
