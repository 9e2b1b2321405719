// A queue of many producers and one consumer, linked by an exchange of its newest node.
//
// Source: D. Vyukov, Non-intrusive MPSC node-based queue, 2010.
// Launch: work-item 0 takes four messages, two others send two each. Node 0 is the first dummy.
// Weakened: LINK=RELAXED, FOLLOW=RELAXED: a message is read that was not published. SWAP_ORDER=ACQUIRE, RELEASE, RELAXED: a node's
// link is cleared behind the link that another producer has stored, and the consumer waits forever.
#include "atomics.h"

#ifndef SWAP_ORDER
#define SWAP_ORDER ACQ_REL
#endif
#ifndef LINK
#define LINK RELEASE
#endif
#ifndef FOLLOW
#define FOLLOW ACQUIRE
#endif

kernel void f(global atomic_uint *newest, global atomic_uint *next, global uint *value, global uint *got)
{
  const uint id = get_global_id(0);
  if (id > 0) {
    for (uint k = 0; k < 2; ++k) {
      const uint node = 2 * id - 1 + k;
      value[node] = 10 * node;
      STORE(&next[node], 0, RELAXED);
      const uint previous = SWAP(newest, node, SWAP_ORDER);
      STORE(&next[previous], node, LINK);
    }
    return;
  }
  uint tail = 0;
  uint sum = 0;
  for (uint taken = 0; taken < 4; ++taken) {
    uint node;
    while ((node = LOAD(&next[tail], FOLLOW)) == 0) {
    }
    sum += value[node];
    value[node] = 0;
    tail = node;
  }
  got[0] = sum;
}
