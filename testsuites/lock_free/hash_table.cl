// A hash table with open addressing: a place is taken by compare-and-swap, filled, and published with its key.
//
// Source: J. H. Reif's scheme as in C. Purcell, T. Harris, Non-blocking Hashtables with Open Addressing, DISC 2005; here who meets a place
// that is being filled waits for it.
// Launch: each work-item inserts a key of its own and one that all insert, and then looks all of them up that are there.
// Weakened: PUBLISH=RELAXED, LOOK=RELAXED: the value is not published, or not acquired.
#include "atomics.h"

#ifndef PUBLISH
#define PUBLISH RELEASE
#endif
#ifndef LOOK
#define LOOK ACQUIRE
#endif

#define PLACES 8
#define BUSY 0xffffffff

// The key's value; where it is new, that is this one.
uint insert(global atomic_uint *keys, global uint *values, uint key, uint value)
{
  for (uint place = key * 5 % PLACES;; place = (place + 1) % PLACES) {
    uint found = 0;
    if (CAS(&keys[place], &found, BUSY, RELAXED, RELAXED)) {
      values[place] = value;
      STORE(&keys[place], key, PUBLISH);
      return value;
    }
    do {
      found = LOAD(&keys[place], LOOK);
    } while (found == BUSY);
    if (found == key) return values[place];
  }
}

kernel void f(global atomic_uint *keys, global uint *values, global uint *wrong)
{
  const uint i = get_global_id(0);
  if (insert(keys, values, i + 2, 10 * (i + 2)) != 10 * (i + 2)) wrong[i] = 1;
  if (insert(keys, values, 1, 77) != 77) wrong[i] = 2;
  for (uint place = 0; place < PLACES; ++place) {
    const uint key = LOAD(&keys[place], LOOK);
    if (key == 0 || key == BUSY) continue;
    if (values[place] != (key == 1 ? 77 : 10 * key)) wrong[i] = 3;
  }
}
