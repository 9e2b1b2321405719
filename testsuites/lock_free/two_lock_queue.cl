// A queue with a lock at each end.
//
// Source: M. Michael, M. Scott, Simple, Fast, and Practical Non-Blocking and Blocking Concurrent Queue Algorithms, PODC 1996, figure 2.
// Launch: two work-items append, two take. Where the queue is empty, both ends have one node, so its link needs an order of its own.
// Weakened: LINK=RELAXED, FOLLOW=RELAXED, LEAVE=RELAXED.
#include "atomics.h"

#ifndef LINK
#define LINK RELEASE
#endif
#ifndef FOLLOW
#define FOLLOW ACQUIRE
#endif
#ifndef LEAVE
#define LEAVE RELEASE
#endif

struct q {
  atomic_uint head_lock, tail_lock;
  uint head, tail;
};

void enter(global atomic_uint *lock)
{
  uint is_free = 0;
  while (!CAS(lock, &is_free, 1, ACQUIRE, RELAXED)) is_free = 0;
}

kernel void f(global struct q *q, global atomic_uint *next, global uint *value, global atomic_uint *sum)
{
  const uint id = get_global_id(0);
  if (id < 2) {
    const uint node = id + 1;
    value[node] = 5 + id;
    enter(&q->tail_lock);
    STORE(&next[q->tail], node, LINK);
    q->tail = node;
    STORE(&q->tail_lock, 0, LEAVE);
  } else {
    uint node = 0;
    while (node == 0) {
      enter(&q->head_lock);
      node = LOAD(&next[q->head], FOLLOW);
      if (node != 0) {
        ADD(sum, value[node], RELAXED);
        q->head = node;
      }
      STORE(&q->head_lock, 0, LEAVE);
    }
  }
}
