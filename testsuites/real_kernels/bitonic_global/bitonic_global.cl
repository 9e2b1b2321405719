// Bitonic sort of a large array over several launches: blocks of 64 are sorted in local memory; for
// larger sizes, steps of a long stride work on global memory and the rest is done in local memory again.
#define BLOCK 64

static inline void compare(local int *tile, uint i, uint stride, bool up) {
  const int low = min(tile[i], tile[i + stride]);
  const int high = max(tile[i], tile[i + stride]);
  tile[i] = up ? low : high;
  tile[i + stride] = up ? high : low;
}

kernel void sort_blocks(global int *keys) {
  local int tile[BLOCK];
  const uint lid = get_local_id(0);
  const uint first = get_group_id(0) * BLOCK;
  const int2 two = vload2(lid, keys + first);
  vstore2(two, lid, tile);
  for (uint size = 2; size <= BLOCK; size *= 2) {
    for (uint stride = size / 2; stride > 0; stride /= 2) {
      work_group_barrier(CLK_LOCAL_MEM_FENCE);  // sort step
      const uint i = (lid / stride) * 2 * stride + lid % stride;
      compare(tile, i, stride, ((first + i) & size) == 0);
    }
  }
  work_group_barrier(CLK_LOCAL_MEM_FENCE);  // sorted
  vstore2(vload2(lid, tile), lid, keys + first);
}

kernel void global_step(global int *keys, uint size, uint stride) {
  const uint t = get_global_id(0);
  const uint i = (t / stride) * 2 * stride + t % stride;
  const int a = keys[i];
  const int b = keys[i + stride];
  if ((a > b) == ((i & size) == 0)) {
    keys[i] = b;
    keys[i + stride] = a;
  }
}

kernel void merge_blocks(global int *keys, uint size) {
  local int tile[BLOCK];
  const uint lid = get_local_id(0);
  const uint first = get_group_id(0) * BLOCK;
  tile[lid] = keys[first + lid];
  tile[lid + BLOCK / 2] = keys[first + lid + BLOCK / 2];
  for (uint stride = BLOCK / 2; stride > 0; stride /= 2) {
    work_group_barrier(CLK_LOCAL_MEM_FENCE);  // merge step
    const uint i = (lid / stride) * 2 * stride + lid % stride;
    compare(tile, i, stride, ((first + i) & size) == 0);
  }
  work_group_barrier(CLK_LOCAL_MEM_FENCE);  // merged
  keys[first + lid] = tile[lid];
  keys[first + lid + BLOCK / 2] = tile[lid + BLOCK / 2];
}
