// Prefix sum in one launch with decoupled look-back: a tile publishes its own sum at once, and its
// inclusive prefix as soon as it has found that of a predecessor.  Tiles are numbered in the order in
// which groups start, so that nobody waits for a group that has not begun.
#define GROUP 50

enum { NOTHING = 0, HAS_SUM = 1, HAS_PREFIX = 2 };

kernel void scan(global const uint *in, global uint *out, uint n, global atomic_uint *tickets,
                 global atomic_uint *state, global uint *tile_sum, global uint *tile_prefix) {
  local uint tile;
  local uint before;
  local uint values[GROUP];
  const uint lid = get_local_id(0);

  if (lid == 0) tile = atomic_fetch_add_explicit(tickets, 1, memory_order_relaxed, memory_scope_device);
  work_group_barrier(CLK_LOCAL_MEM_FENCE);  // the tile's number
  const uint t = tile;
  const uint i = t * GROUP + lid;

  values[lid] = i < n ? in[i] : 0;
  work_group_barrier(CLK_LOCAL_MEM_FENCE);
  for (uint d = 1; d < GROUP; d *= 2) {
    uint left = lid >= d ? values[lid - d] : 0;
    work_group_barrier(CLK_LOCAL_MEM_FENCE);  // everybody has read
    values[lid] += left;
    work_group_barrier(CLK_LOCAL_MEM_FENCE);  // everybody has written
  }

  if (lid == 0) {
    const uint own = values[GROUP - 1];
    uint sum = 0;
    if (t > 0) {
      tile_sum[t] = own;
      atomic_store_explicit(&state[t], HAS_SUM, memory_order_release, memory_scope_device);
      uint p = t;
      uint s = NOTHING;
      while (s != HAS_PREFIX) {
        --p;
        do {
          s = atomic_load_explicit(&state[p], memory_order_acquire, memory_scope_device);
        } while (s == NOTHING);
        sum += s == HAS_PREFIX ? tile_prefix[p] : tile_sum[p];
      }
    }
    tile_prefix[t] = sum + own;
    atomic_store_explicit(&state[t], HAS_PREFIX, memory_order_release, memory_scope_device);
    before = sum;
  }
  work_group_barrier(CLK_LOCAL_MEM_FENCE);  // what stands before the tile

  if (i < n) out[i] = before + values[lid];
}
