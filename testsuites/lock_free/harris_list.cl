// A sorted list; a node that is removed is marked in its own link before it is unlinked.
//
// Source: T. L. Harris, A Pragmatic Implementation of Non-Blocking Linked-Lists, DISC 2001. Nodes are not used again.
// Launch: work-items insert nodes of keys of their own behind a first and before a last node; each removes its first one again.
// Weakened: LINK=RELAXED, FOLLOW=RELAXED: a node's key is plain memory, published with the link to it.
#include "atomics.h"

#ifndef LINK
#define LINK RELEASE
#endif
#ifndef FOLLOW
#define FOLLOW ACQUIRE
#endif

#define FIRST 0
#define LAST 1
#define MARK 0x100

// The last node whose key is less, and the first whose key is not; marked nodes between them are unlinked.
uint2 search(global atomic_uint *next, global const uint *keys, uint key)
{
  for (;;) {
    uint before = FIRST;
    uint node = LOAD(&next[before], FOLLOW);
    bool is_lost = false;
    while (!is_lost && node != LAST) {
      const uint link = LOAD(&next[node], FOLLOW);
      if ((link & MARK) != 0) {
        uint expected = node;
        is_lost = !CAS(&next[before], &expected, link & ~MARK, LINK, RELAXED);
        node = link & ~MARK;
      } else if (keys[node] < key) {
        before = node;
        node = link;
      } else {
        return (uint2)(before, node);
      }
    }
    if (!is_lost) return (uint2)(before, node);
  }
}

void insert(global atomic_uint *next, global const uint *keys, uint node)
{
  for (;;) {
    const uint2 place = search(next, keys, keys[node]);
    STORE(&next[node], place.y, RELAXED);
    uint expected = place.y;
    if (CAS(&next[place.x], &expected, node, LINK, RELAXED)) return;
  }
}

kernel void f(global atomic_uint *next, global uint *keys)
{
  const uint mine = 2 + 2 * get_global_id(0);
  keys[mine] = mine * 7 % 10 + 1;
  keys[mine + 1] = mine * 3 % 10 + 20;
  insert(next, keys, mine);
  insert(next, keys, mine + 1);
  uint link = LOAD(&next[mine], RELAXED);
  while (!CAS(&next[mine], &link, link | MARK, LINK, RELAXED)) {
  }
  search(next, keys, keys[mine]);
}

kernel void check(global atomic_uint *next, global const uint *keys, global uint *out)
{
  uint n = 0;
  for (uint node = LOAD(&next[FIRST], RELAXED); node != LAST; node = LOAD(&next[node], RELAXED) & ~MARK) {
    if ((LOAD(&next[node], RELAXED) & MARK) != 0) continue;
    out[n++] = keys[node];
  }
}
