// A recurrence x[k+1] = a x[k] + b carried from work-group to work-group: each waits for its
// predecessor's last value, which an atomic flag publishes.  Groups take their place in the chain as they
// start, so the predecessor always runs.
kernel void recurrence(global const uint *a, global const uint *b, global uint *x,
                       global uint *carry, global atomic_uint *flags, global atomic_uint *next) {
  local uint place;
  local uint2 map[40];  // x -> map.x * x + map.y
  const uint lid = get_local_id(0);
  const uint size = get_local_size(0);

  if (lid == 0) {
    place = atomic_fetch_add_explicit(next, 1u, memory_order_relaxed, memory_scope_device);
  }
  work_group_barrier(CLK_LOCAL_MEM_FENCE);
  const uint k = place * size + lid;

  // Inclusive scan of the maps, composed right to left.
  uint2 mine = (uint2)(a[k], b[k]);
  map[lid] = mine;
  work_group_barrier(CLK_LOCAL_MEM_FENCE);
  for (uint d = 1; d < size; d <<= 1) {
    if (lid >= d) {
      const uint2 first = map[lid - d];
      mine = (uint2)(mine.x * first.x, mine.x * first.y + mine.y);
    }
    work_group_barrier(CLK_LOCAL_MEM_FENCE);  // read
    map[lid] = mine;
    work_group_barrier(CLK_LOCAL_MEM_FENCE);  // written
  }

  if (place > 0) {
    while (atomic_load_explicit(&flags[place - 1], memory_order_acquire, memory_scope_device) == 0) {
    }
  }
  const uint start = place > 0 ? carry[place - 1] : 1u;
  const uint value = mine.x * start + mine.y;
  x[k] = value;
  if (lid == size - 1) {
    carry[place] = value;
    atomic_store_explicit(&flags[place], 1u, memory_order_release, memory_scope_device);
  }
}
