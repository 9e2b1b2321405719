// A reader-writer lock in which phases of readers and of a writer take turns, by tickets.
//
// Source: B. Brandenburg, J. Anderson, Spin-Based Reader-Writer Synchronization for Multiprocessor Real-Time Systems, 2010.
// Launch: two readers and two writers.
// Weakened: READ_LEAVE=RELAXED, WRITE_LEAVE=RELAXED, READ_ENTER=RELAXED.
#include "atomics.h"

#ifndef READ_LEAVE
#define READ_LEAVE RELEASE
#endif
#ifndef WRITE_LEAVE
#define WRITE_LEAVE RELEASE
#endif
#ifndef READ_ENTER
#define READ_ENTER ACQUIRE
#endif
#define READER 0x100
#define BITS 3
#define PRESENT 2

struct pf {
  atomic_uint rin, rout, win, wout;
};

kernel void f(global struct pf *l, global uint *data, global uint *wrong)
{
  const uint id = get_global_id(0);
  if (id < 2) {
    const uint w = ADD(&l->rin, READER, READ_ENTER) & BITS;
    if (w != 0)
      while (w == (LOAD(&l->rin, READ_ENTER) & BITS)) {
      }
    if (data[0] != data[1]) wrong[0] = 1;
    ADD(&l->rout, READER, READ_LEAVE);
  } else {
    const uint ticket = ADD(&l->win, 1, RELAXED);
    while (LOAD(&l->wout, ACQUIRE) != ticket) {
    }
    const uint w = PRESENT | (ticket & 1);
    const uint readers = ADD(&l->rin, w, ACQUIRE);
    while (LOAD(&l->rout, ACQUIRE) != (readers & ~BITS)) {
    }
    data[0] += 1;
    data[1] += 1;
    atomic_fetch_and_explicit(&l->rin, ~(uint)BITS, WRITE_LEAVE, SCOPE);
    STORE(&l->wout, ticket + 1, RELEASE);
  }
}
