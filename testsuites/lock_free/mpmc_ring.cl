// A bounded queue of several producers and consumers: each place has a number that says whose turn it is.
//
// Source: D. Vyukov, Bounded MPMC Queue, 1024cores.net, 2010.
// Launch: two producers with two values each, two consumers that take two each, two places.
// Weakened: FULL=RELAXED: the value is not published. EMPTY=RELAXED: the next producer overwrites what is being read.
#include "atomics.h"

#ifndef FULL
#define FULL RELEASE
#endif
#ifndef EMPTY
#define EMPTY RELEASE
#endif

#define PLACES 2

struct ring {
  atomic_uint put;
  atomic_uint get;
  atomic_uint turn[PLACES];  // at the start that of place i is i
};

bool enqueue(global struct ring *ring, global uint *data, uint value)
{
  uint at = LOAD(&ring->put, RELAXED);
  for (;;) {
    const int ahead = (int)(LOAD(&ring->turn[at % PLACES], ACQUIRE) - at);
    if (ahead < 0) return false;
    if (ahead > 0) {
      at = LOAD(&ring->put, RELAXED);
    } else if (CAS(&ring->put, &at, at + 1, RELAXED, RELAXED)) {
      data[at % PLACES] = value;
      STORE(&ring->turn[at % PLACES], at + 1, FULL);
      return true;
    }
  }
}

bool dequeue(global struct ring *ring, global const uint *data, uint *value)
{
  uint at = LOAD(&ring->get, RELAXED);
  for (;;) {
    const int ahead = (int)(LOAD(&ring->turn[at % PLACES], ACQUIRE) - (at + 1));
    if (ahead < 0) return false;
    if (ahead > 0) {
      at = LOAD(&ring->get, RELAXED);
    } else if (CAS(&ring->get, &at, at + 1, RELAXED, RELAXED)) {
      *value = data[at % PLACES];
      STORE(&ring->turn[at % PLACES], at + PLACES, EMPTY);
      return true;
    }
  }
}

kernel void f(global struct ring *ring, global uint *data, global atomic_uint *sum)
{
  const uint i = get_global_id(0);
  for (uint k = 0; k < 2; ++k) {
    if (i < 2) {
      while (!enqueue(ring, data, 1 << (2 * i + k))) {
      }
    } else {
      uint value = 0;
      while (!dequeue(ring, data, &value)) {
      }
      ADD(sum, value, RELAXED);
    }
  }
}
