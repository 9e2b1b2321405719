// A producer and a consumer that never wait: each has a buffer, and exchanges it for the one in the middle.
//
// Source: J. Anderson, M. Gouda, Atomic Semantics of Nonatomic Programs, IPL 28, 1988 (three slots); here with an atomic exchange.
// Launch: the producer makes four records; the consumer looks three times. A record's halves are equal, and none is older than the
// one before it.
// Weakened: GIVE=ACQUIRE: the record is not released. TAKE=RELEASE: not acquired. GIVE=RELEASE, TAKE=ACQUIRE: it is overwritten while it
// is read.
#include "atomics.h"

#ifndef GIVE
#define GIVE ACQ_REL
#endif
#ifndef TAKE
#define TAKE ACQ_REL
#endif

#define FRESH 4

kernel void f(global atomic_uint *middle, global uint2 *records, global uint *wrong)
{
  if (get_global_id(0) == 0) {
    uint mine = 1;
    for (uint k = 1; k <= 4; ++k) {
      records[mine] = (uint2)(k);
      mine = SWAP(middle, mine | FRESH, GIVE) & 3;
    }
  } else {
    uint mine = 2;
    uint before = 0;
    for (uint k = 0; k < 3; ++k) {
      if ((LOAD(middle, RELAXED) & FRESH) == 0) continue;
      mine = SWAP(middle, mine, TAKE) & 3;
      const uint2 found = records[mine];
      if (found.x != found.y || found.x <= before) *wrong = 1;
      before = found.x;
    }
  }
}
