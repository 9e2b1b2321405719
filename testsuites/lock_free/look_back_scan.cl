// Prefix sums in one pass: each tile adds up what the tiles before it have published, up to one whose whole prefix is known.
//
// Source: D. Merrill, M. Garland, Single-pass Parallel Prefix Scan with Decoupled Look-back, NVIDIA TR NVR-2016-002.
// Launch: four work-groups of two work-items. A tile's number is a ticket, so that earlier tiles have begun.
// Weakened: PUBLISH=RELAXED, LOOK=RELAXED: sums are read that were not published.
// SCOPE=memory_scope_work_group: the tiles are of several work-groups.
#include "atomics.h"

#ifndef PUBLISH
#define PUBLISH RELEASE
#endif
#ifndef LOOK
#define LOOK ACQUIRE
#endif

#define SUM_KNOWN 1
#define PREFIX_KNOWN 2

kernel void f(global atomic_uint *ticket, global atomic_uint *state, global uint *sum, global uint *prefix,
              global const uint *in, global uint *out)
{
  local uint tile, before;
  const uint l = get_local_id(0);
  if (l == 0) tile = ADD(ticket, 1, RELAXED);
  barrier(CLK_LOCAL_MEM_FENCE);
  const uint first = in[2 * tile];
  const uint total = first + in[2 * tile + 1];
  if (l == 0) {
    sum[tile] = total;
    STORE(&state[tile], SUM_KNOWN, PUBLISH);
    uint found = 0;
    for (uint t = tile; t > 0; --t) {
      uint known = 0;
      while ((known = LOAD(&state[t - 1], LOOK)) == 0) {
      }
      if (known == PREFIX_KNOWN) {
        found += prefix[t - 1];
        break;
      }
      found += sum[t - 1];
    }
    prefix[tile] = found + total;
    STORE(&state[tile], PREFIX_KNOWN, PUBLISH);
    before = found;
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  out[2 * tile + l] = before + (l == 0 ? first : total);
}
