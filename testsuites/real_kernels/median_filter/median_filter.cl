// Median of 3 x 3 by a sorting network in registers, four pixels a work-item as a vector, then a count of the
// pixels that changed through a local counter.
#define SORT(a, b) { const uchar4 low = min(a, b); b = max(a, b); a = low; }

kernel void median(global const uchar *restrict in, global uchar *restrict out, const int width,
                   const int height, global uint *changed) {
  local uint count;
  const int x = 4 * get_global_id(0) + 1;
  const int y = get_global_id(1) + 1;
  if (get_local_id(0) == 0 && get_local_id(1) == 0) count = 0;
  barrier(CLK_LOCAL_MEM_FENCE);  // counter is cleared

  // Work-items at the right edge have whole vectors only: the image is padded to 4 n + 2 columns.
  if (x + 4 < width && y + 1 < height) {
    uchar4 p[9];
    for (int dy = -1; dy <= 1; ++dy) {
      for (int dx = -1; dx <= 1; ++dx) {
        p[3 * (dy + 1) + dx + 1] = vload4(0, in + (y + dy) * width + x + dx);
      }
    }
    const uchar4 old = p[4];
    SORT(p[1], p[2]) SORT(p[4], p[5]) SORT(p[7], p[8])
    SORT(p[0], p[1]) SORT(p[3], p[4]) SORT(p[6], p[7])
    SORT(p[1], p[2]) SORT(p[4], p[5]) SORT(p[7], p[8])
    SORT(p[0], p[3]) SORT(p[5], p[8]) SORT(p[4], p[7])
    SORT(p[3], p[6]) SORT(p[1], p[4]) SORT(p[2], p[5])
    SORT(p[4], p[7]) SORT(p[4], p[2]) SORT(p[6], p[4])
    SORT(p[4], p[2])
    vstore4(p[4], 0, out + y * width + x);
    const char4 differs = p[4] != old;
    uint n = 0;
    if (differs.x) ++n;
    if (differs.y) ++n;
    if (differs.z) ++n;
    if (differs.w) ++n;
    atomic_add(&count, n);
  }
  barrier(CLK_LOCAL_MEM_FENCE);  // counted
  if (get_local_id(0) == 0 && get_local_id(1) == 0) atomic_add(changed, count);
}
