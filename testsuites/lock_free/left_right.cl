// Left-right: readers do not wait; the writer changes the copy that nobody reads, and then the other one.
//
// Source: P. Ramalhete, A. Correia, Brief Announcement: Left-Right, A Concurrency Control Technique, 2013.
// Launch: work-item 0 writes twice, the other one reads twice.
// Weakened: ARRIVE=RELAXED, DEPART=RELAXED, SIDE=RELEASE, EMPTY=RELAXED: a copy is changed while it is read.
#include "atomics.h"

#ifndef ARRIVE
#define ARRIVE SEQ_CST
#endif
#ifndef DEPART
#define DEPART RELEASE
#endif
#ifndef SIDE
#define SIDE SEQ_CST
#endif
#ifndef EMPTY
#define EMPTY SEQ_CST
#endif

struct lr {
  atomic_uint side;
  atomic_uint version;
  atomic_uint readers[2];
};

void wait_for(global struct lr *s, uint version)
{
  while (LOAD(&s->readers[version], EMPTY) != 0) {
  }
}

kernel void f(global struct lr *s, global uint *copy, global uint *wrong)
{
  if (get_global_id(0) == 0) {
    for (uint n = 1; n <= 2; ++n) {
      const uint side = LOAD(&s->side, RELAXED);
      copy[1 - side] = n;
      STORE(&s->side, 1 - side, SIDE);
      const uint version = LOAD(&s->version, RELAXED);
      wait_for(s, 1 - version);
      STORE(&s->version, 1 - version, SIDE);
      wait_for(s, version);
      copy[side] = n;
    }
    return;
  }
  uint last = 0;
  for (uint k = 0; k < 2; ++k) {
    const uint version = LOAD(&s->version, SEQ_CST);
    ADD(&s->readers[version], 1, ARRIVE);
    const uint side = LOAD(&s->side, SIDE == RELEASE ? ACQUIRE : SEQ_CST);
    const uint value = copy[side];
    SUB(&s->readers[version], 1, DEPART);
    if (value < last) wrong[0] = 1;
    last = value;
  }
}
