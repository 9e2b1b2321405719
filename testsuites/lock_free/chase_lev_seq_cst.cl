// A work-stealing deque whose ends are accessed by sequentially consistent operations.
//
// Source: D. Chase, Y. Lev, Dynamic Circular Work-Stealing Deque, SPAA 2005.
// Launch: work-item 0 owns the deque, pushes two tasks and takes what is left; two others steal twice each.
// Weakened: TAKE_TOP=ACQUIRE: the owner may miss a steal. STEAL_BOTTOM=ACQUIRE: a thief may miss a take.
// PUSH=RELAXED: the task is not published.
#include "atomics.h"

#ifndef TAKE_TOP
#define TAKE_TOP SEQ_CST
#endif
#ifndef STEAL_BOTTOM
#define STEAL_BOTTOM SEQ_CST
#endif
#ifndef PUSH
#define PUSH SEQ_CST
#endif

#define SLOTS 4
#define NONE (-1)

struct deque {
  atomic_int top;
  atomic_int bottom;
  atomic_int slots[SLOTS];
};

void push(global struct deque *q, int task)
{
  const int b = LOAD(&q->bottom, RELAXED);
  STORE(&q->slots[b % SLOTS], task, RELAXED);
  STORE(&q->bottom, b + 1, PUSH);
}

int take(global struct deque *q)
{
  const int b = LOAD(&q->bottom, RELAXED) - 1;
  STORE(&q->bottom, b, SEQ_CST);
  int t = LOAD(&q->top, TAKE_TOP);
  if (t > b) {
    STORE(&q->bottom, b + 1, SEQ_CST);
    return NONE;
  }
  int task = LOAD(&q->slots[b % SLOTS], RELAXED);
  if (t == b) {
    if (!CAS(&q->top, &t, t + 1, SEQ_CST, SEQ_CST)) task = NONE;
    STORE(&q->bottom, b + 1, SEQ_CST);
  }
  return task;
}

int steal(global struct deque *q)
{
  int t = LOAD(&q->top, SEQ_CST);
  const int b = LOAD(&q->bottom, STEAL_BOTTOM);
  if (t >= b) return NONE;
  const int task = LOAD(&q->slots[t % SLOTS], RELAXED);
  return CAS(&q->top, &t, t + 1, SEQ_CST, SEQ_CST) ? task : NONE;
}

// A task is executed once, by one work-item.
void execute(int task, global const int *work, global int *done, global atomic_int *sum)
{
  if (task == NONE) return;
  done[task] += 1;
  ADD(sum, work[task], RELAXED);
}

kernel void f(global struct deque *q, global int *work, global int *done, global atomic_int *sum)
{
  if (get_global_id(0) != 0) {
    execute(steal(q), work, done, sum);
    execute(steal(q), work, done, sum);
    return;
  }
  for (int task = 0; task < 2; ++task) {
    work[task] = 1 << task;
    push(q, task);
  }
  for (int i = 0; i < 2; ++i) execute(take(q), work, done, sum);
}
