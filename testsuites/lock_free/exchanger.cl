// Two work-items meet at a slot and exchange what they have: who comes first waits for the other one.
//
// Source: D. Hendler, N. Shavit, L. Yerushalmi, A Scalable Lock-free Stack Algorithm, SPAA 2004 (elimination).
// Launch: two work-items. The slot has 0, the number of who waits plus 1, or that of the partner plus 100.
// Weakened: OFFER=RELAXED with OFFERED=RELAXED, since failure is no stronger than success, MEET=ACQUIRE, MEET=RELAXED, WAIT=RELAXED.
#include "atomics.h"

#ifndef OFFER
#define OFFER RELEASE
#endif
#ifndef OFFERED
#define OFFERED ACQUIRE
#endif
#ifndef MEET
#define MEET ACQ_REL
#endif
#ifndef WAIT
#define WAIT ACQUIRE
#endif

kernel void f(global atomic_uint *slot, global uint *data, global uint *out)
{
  const uint id = get_global_id(0);
  data[id] = 7 + id;
  uint seen = 0;
  if (CAS(slot, &seen, id + 1, OFFER, OFFERED)) {
    uint answer;
    while ((answer = LOAD(slot, WAIT)) < 100) {
    }
    out[id] = data[answer - 100];
  } else {
    uint expected = seen;
    if (CAS(slot, &expected, 100 + id, MEET, RELAXED)) out[id] = data[seen - 1];
  }
}
