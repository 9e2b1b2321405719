// A queue as a list with a first node that has no value.
//
// Source: M. M. Michael, M. L. Scott, Simple, Fast, and Practical Non-Blocking and Blocking Concurrent Queue
// Algorithms, PODC 1996. Nodes are not used again, so there are no tags.
// Launch: two work-items enqueue two values each, in order; two dequeue two each.
// Why `link` is not 0 where head and tail differ: the tail that was read is the head or a later node, because the
// head was moved by somebody who had seen such a tail (read-read coherence), and who moved
// the tail had seen the link.
// Weakened: LINK=RELAXED: the value is not published. FOLLOW=RELAXED: the value is not acquired.
#include "atomics.h"

#ifndef LINK
#define LINK RELEASE
#endif
#ifndef FOLLOW
#define FOLLOW ACQUIRE
#endif

struct queue {
  atomic_uint head;
  atomic_uint tail;
  atomic_uint next[5];
};

void enqueue(global struct queue *q, uint node)
{
  for (;;) {
    uint tail = LOAD(&q->tail, ACQUIRE);
    uint link = LOAD(&q->next[tail], FOLLOW);
    if (link != 0) {
      CAS(&q->tail, &tail, link, RELEASE, RELAXED);  // helps
    } else if (CAS(&q->next[tail], &link, node, LINK, RELAXED)) {
      CAS(&q->tail, &tail, node, RELEASE, RELAXED);
      return;
    }
  }
}

// 0: the queue is empty.
uint dequeue(global struct queue *q, global const uint *value)
{
  for (;;) {
    uint head = LOAD(&q->head, ACQUIRE);
    uint tail = LOAD(&q->tail, ACQUIRE);
    const uint link = LOAD(&q->next[head], FOLLOW);
    if (head == tail) {
      if (link == 0) return 0;
      CAS(&q->tail, &tail, link, RELEASE, RELAXED);
    } else {
      const uint found = value[link];
      if (CAS(&q->head, &head, link, ACQ_REL, RELAXED)) return found;
    }
  }
}

kernel void f(global struct queue *q, global uint *value, global atomic_uint *sum, global uint *out)
{
  const uint i = get_global_id(0);
  uint before = 0;
  for (uint k = 0; k < 2; ++k) {
    if (i < 2) {
      const uint node = 1 + 2 * i + k;
      value[node] = 1 << (2 * i + k);
      enqueue(q, node);
    } else {
      uint found = 0;
      while (found == 0) found = dequeue(q, value);
      ADD(sum, found, RELAXED);
      // Of one producer the first value comes first.
      if (before == found << 1 && (before == 2 || before == 8)) out[i] = 1;
      before = found;
    }
  }
}
