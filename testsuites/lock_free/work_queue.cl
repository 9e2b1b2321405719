// Persistent work-items that take tasks from a queue, and add tasks to it.
//
// Source: S. Tzeng, A. Patney, J. D. Owens, Task Management for Irregular-Parallel Workloads on the GPU, HPG 2010.
// Launch: a tree of seven tasks; each work-item takes tasks until all are taken. Nobody waits who has a task, so
// that each task that is waited for comes.
// Weakened: READY=RELAXED, TAKE=RELAXED: the task is not published, or not acquired.
#include "atomics.h"

#ifndef READY
#define READY RELEASE
#endif
#ifndef TAKE
#define TAKE ACQUIRE
#endif

#define TASKS 7

struct queue {
  atomic_uint head;
  atomic_uint tail;
  atomic_uint ready[TASKS];
};

void add(global struct queue *q, global uint *depth, uint value)
{
  const uint place = ADD(&q->tail, 1, RELAXED);
  depth[place] = value;
  STORE(&q->ready[place], 1, READY);
}

kernel void f(global struct queue *q, global uint *depth, global atomic_uint *sum)
{
  if (get_global_id(0) == 0) add(q, depth, 1);
  for (;;) {
    const uint place = ADD(&q->head, 1, RELAXED);
    if (place >= TASKS) return;
    while (LOAD(&q->ready[place], TAKE) == 0) {
    }
    const uint found = depth[place];
    ADD(sum, found, RELAXED);
    if (found == 3) continue;
    add(q, depth, found + 1);
    add(q, depth, found + 1);
  }
}
