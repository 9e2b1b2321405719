// A stack as a list, whose head is an index and a tag that changes with each push, so that a head that
// comes back is told from one that stayed.
//
// Source: R. K. Treiber, Systems Programming: Coping with Parallelism, IBM RJ 5118, 1986.
// Launch: each work-item pushes its node, pops one, changes it, pushes it again, and pops one.
// Why it is right: all modifications of the head are read-modify-writes, so that the release sequence of
// the push of a node reaches everybody who later reads its index there. Links are atomic because a node may be
// popped and pushed while somebody reads its link; then the tag is another one.
// Weakened: PUSH=RELAXED, POP=RELAXED: the node's value is not published, or not acquired.
#include "atomics.h"

#ifndef PUSH
#define PUSH RELEASE
#endif
#ifndef POP
#define POP ACQUIRE
#endif

#define INDEX(head) ((head) & 0xffff)

void push(global atomic_uint *head, global atomic_uint *next, uint node)
{
  uint old = LOAD(head, RELAXED);
  do {
    STORE(&next[node], INDEX(old), RELAXED);
  } while (!CAS(head, &old, ((old >> 16) + 1) << 16 | node, PUSH, RELAXED));
}

// 0: the stack is empty.
uint pop(global atomic_uint *head, global atomic_uint *next)
{
  uint old = LOAD(head, POP);
  for (;;) {
    const uint node = INDEX(old);
    if (node == 0) return 0;
    const uint rest = LOAD(&next[node], RELAXED);
    if (CAS(head, &old, (old & 0xffff0000) | rest, POP, POP)) return node;
  }
}

kernel void f(global atomic_uint *head, global atomic_uint *next, global uint *value, global atomic_uint *sum)
{
  const uint mine = get_global_id(0) + 1;
  value[mine] = 1;
  push(head, next, mine);
  const uint first = pop(head, next);
  value[first] += 1;
  push(head, next, first);
  const uint last = pop(head, next);
  ADD(sum, value[last], RELAXED);
  value[last] = 0;
}
