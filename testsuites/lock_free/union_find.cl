// Disjoint sets: roots are linked by compare-and-swap, the root of lower rank below the other one.
//
// Source: R. J. Anderson, H. Woll, Wait-free Parallel Algorithms for the Union-Find Problem, STOC 1991; S. V. Jayanti, R. E. Tarjan,
// A Randomized Concurrent Algorithm for Disjoint Set Union, PODC 2016.
// Launch: each work-item makes a node of a rank of its own and joins it with node 0 and node 1, which are there. A rank is
// plain memory: it is published with the link by which the node is found.
// Weakened: LINK=RELAXED, FOLLOW=RELAXED: the rank is not published, or not acquired.
#include "atomics.h"

#ifndef LINK
#define LINK RELEASE
#endif
#ifndef FOLLOW
#define FOLLOW ACQUIRE
#endif

// A parent is an index + 1; 0: the node is a root.
uint find(global atomic_uint *parent, uint node)
{
  for (;;) {
    const uint up = LOAD(&parent[node], FOLLOW);
    if (up == 0) return node;
    node = up - 1;
  }
}

void unite(global atomic_uint *parent, global const uint *rank, uint a, uint b)
{
  for (;;) {
    a = find(parent, a);
    b = find(parent, b);
    if (a == b) return;
    const bool a_is_lower = rank[a] < rank[b];
    const uint lower = a_is_lower ? a : b;
    const uint higher = a_is_lower ? b : a;
    uint none = 0;
    if (CAS(&parent[lower], &none, higher + 1, LINK, RELAXED)) return;
  }
}

kernel void f(global atomic_uint *parent, global uint *rank)
{
  const uint i = get_global_id(0);
  const uint mine = i + 2;
  rank[mine] = i == 0 ? 5 : 20 + i;
  unite(parent, rank, mine, 0);
  unite(parent, rank, 1, mine);
}

// Which root they have depends on the order; that all have one does not.
kernel void check(global atomic_uint *parent, global uint *sets)
{
  for (uint node = 0; node < 5; ++node) {
    if (LOAD(&parent[node], RELAXED) == 0) *sets += 1;
  }
}
