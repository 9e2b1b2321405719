// A work-stealing deque, by fences: one work-item pushes and takes at the bottom, others steal at the top.
//
// Source: D. Chase, Y. Lev, Dynamic Circular Work-Stealing Deque, SPAA 2005; N. M. Lê, A. Pop, A. Cohen,
// F. Zappa Nardelli, Correct and Efficient Work-Stealing for Weak Memory Models, PPoPP 2013, figure 1.
// Launch: work-item 0 owns the deque, pushes two tasks and takes what is left; two others steal twice each.
// Why it is right: let a thief have read a `top` that another steal wrote. That compare-and-swap is before
// the thief's fence in S. If the thief does not see the owner's lower `bottom`, its fence is before the
// owner's, and the owner sees the new `top` (OpenCL API 3.3.6, first rule of seq_cst fences).
// Weakened: TAKE_FENCE=ACQ_REL, STEAL_FENCE=ACQ_REL: the last task is taken twice.
// PUSH_FENCE=RELAXED: the task is not published.
#include "atomics.h"

#ifndef TAKE_FENCE
#define TAKE_FENCE SEQ_CST
#endif
#ifndef STEAL_FENCE
#define STEAL_FENCE SEQ_CST
#endif
#ifndef PUSH_FENCE
#define PUSH_FENCE RELEASE
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
  FENCE(PUSH_FENCE);
  STORE(&q->bottom, b + 1, RELAXED);
}

int take(global struct deque *q)
{
  const int b = LOAD(&q->bottom, RELAXED) - 1;
  STORE(&q->bottom, b, RELAXED);
  FENCE(TAKE_FENCE);
  int t = LOAD(&q->top, RELAXED);
  if (t > b) {
    STORE(&q->bottom, b + 1, RELAXED);
    return NONE;
  }
  int task = LOAD(&q->slots[b % SLOTS], RELAXED);
  if (t == b) {
    if (!CAS(&q->top, &t, t + 1, SEQ_CST, RELAXED)) task = NONE;
    STORE(&q->bottom, b + 1, RELAXED);
  }
  return task;
}

int steal(global struct deque *q)
{
  int t = LOAD(&q->top, ACQUIRE);
  FENCE(STEAL_FENCE);
  const int b = LOAD(&q->bottom, ACQUIRE);
  if (t >= b) return NONE;
  const int task = LOAD(&q->slots[t % SLOTS], RELAXED);
  return CAS(&q->top, &t, t + 1, SEQ_CST, RELAXED) ? task : NONE;
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
  // Who fails at the last one leaves it to the thief that succeeded.
  for (int i = 0; i < 2; ++i) execute(take(q), work, done, sum);
}
