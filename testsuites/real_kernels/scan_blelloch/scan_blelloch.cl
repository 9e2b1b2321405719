// Exclusive prefix sum of a whole array in three launches: blocks of 128 after Blelloch, the blocks'
// totals by the same kernel, and an addition.  The tile is padded by one word in 32 against bank
// conflicts.
#define GROUP 64
#define BLOCK (2 * GROUP)
#define PAD(i) ((i) + ((i) >> 5))
#define TILE (PAD(BLOCK - 1) + 1)

kernel void scan_blocks(global const uint *restrict in, global uint *restrict out,
                        global uint *restrict totals, uint n) {
  local uint tile[TILE];
  const uint lid = get_local_id(0);
  const uint first = get_group_id(0) * BLOCK;

  for (uint i = lid; i < BLOCK; i += GROUP) tile[PAD(i)] = first + i < n ? in[first + i] : 0;

  uint offset = 1;
  for (uint d = GROUP; d > 0; d >>= 1) {
    barrier(CLK_LOCAL_MEM_FENCE);  // up
    if (lid < d) {
      const uint a = offset * (2 * lid + 1) - 1;
      const uint b = offset * (2 * lid + 2) - 1;
      tile[PAD(b)] += tile[PAD(a)];
    }
    offset <<= 1;
  }
  // The last level was work-item 0's alone.
  if (lid == 0) {
    totals[get_group_id(0)] = tile[PAD(BLOCK - 1)];
    tile[PAD(BLOCK - 1)] = 0;
  }
  for (uint d = 1; d <= GROUP; d <<= 1) {
    offset >>= 1;
    barrier(CLK_LOCAL_MEM_FENCE);  // down
    if (lid < d) {
      const uint a = offset * (2 * lid + 1) - 1;
      const uint b = offset * (2 * lid + 2) - 1;
      const uint left = tile[PAD(a)];
      tile[PAD(a)] = tile[PAD(b)];
      tile[PAD(b)] += left;
    }
  }
  barrier(CLK_LOCAL_MEM_FENCE);  // before the store

  for (uint i = lid; i < BLOCK; i += GROUP) {
    if (first + i < n) out[first + i] = tile[PAD(i)];
  }
}

kernel void add_totals(global uint *restrict out, global const uint *restrict scanned, uint n) {
  const uint i = get_global_id(0);
  if (i < n) out[i] += scanned[i / BLOCK];
}
