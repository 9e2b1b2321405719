// Prefix sums by look-back, where state and sum of a tile are one word, so that nothing needs an order.
//
// Source: D. Merrill, M. Garland, Single-pass Parallel Prefix Scan with Decoupled Look-back, NVIDIA TR NVR-2016-002.
// Launch: four work-groups of two work-items. A tile's number is a ticket.
// Weakened: SPLIT: the sum is a word of its own. NO_BARRIER: the sum before the tile is read while it is computed.
#include "atomics.h"

kernel void f(global atomic_ulong *state, global atomic_uint *ticket, global const uint *in, global uint *out)
{
  local uint tile;
  local uint before;
  const uint l = get_local_id(0);
  if (l == 0) tile = ADD(ticket, 1, RELAXED);
  barrier(CLK_LOCAL_MEM_FENCE);
  const uint mine = in[2 * tile + l];
  const uint scan = work_group_scan_inclusive_add(mine);
  const uint total = work_group_broadcast(scan, 1);
  if (l == 0) {
#ifdef SPLIT
    global uint *plain = (global uint *)&state[8];
    plain[tile] = total;
    STORE(&state[tile], 1ul << 32, RELAXED);
#else
    STORE(&state[tile], (1ul << 32) | total, RELAXED);
#endif
    uint found = 0;
    for (int t = (int)tile - 1; t >= 0; --t) {
      ulong s;
      do s = LOAD(&state[t], RELAXED); while ((s >> 32) == 0);
#ifdef SPLIT
      found += plain[t];
#else
      found += (uint)s;
#endif
      if ((s >> 32) == 2) break;
    }
#ifndef SPLIT
    STORE(&state[tile], (2ul << 32) | (found + total), RELAXED);
#endif
    before = found;
  }
#ifndef NO_BARRIER
  barrier(CLK_LOCAL_MEM_FENCE);
#endif
  out[2 * tile + l] = before + scan;
}
