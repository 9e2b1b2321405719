// Where a pattern occurs in a text: one position a work-item (naive), and Boyer-Moore-Horspool on one
// stretch of the text a work-item with the table of shifts in local memory.  Matches are bits of a map.

kernel void naive(global const char *text, uint n, constant char *pattern, uint m,
                  volatile global uint *map, volatile global uint *count) {
  const uint at = get_global_id(0);
  if (at + m > n) return;
  for (uint i = 0; i < m; ++i) {
    if (text[at + i] != pattern[i]) return;
  }
  atomic_or(&map[at / 32], 1u << (at % 32));
  atomic_inc(count);
}

kernel void horspool(global const uchar *text, uint n, constant uchar *pattern, uint m,
                     uint stretch, volatile global uint *map, volatile global uint *count) {
  local uchar shift[256];
  local uint found;
  const uint lid = get_local_id(0);

  for (uint c = lid; c < 256; c += get_local_size(0)) shift[c] = (uchar)m;
  if (lid == 0) found = 0;
  barrier(CLK_LOCAL_MEM_FENCE);  // table is filled
  // The order counts: a character's last place in the pattern wins.
  if (lid == 0) {
    for (uint i = 0; i + 1 < m; ++i) shift[pattern[i]] = (uchar)(m - 1 - i);
  }
  barrier(CLK_LOCAL_MEM_FENCE);  // table is ready

  // Matches that begin in [at, end).
  uint at = get_global_id(0) * stretch;
  const uint end = min(at + stretch, n - m + 1);
  while (at < end) {
    const uchar last = text[at + m - 1];
    if (last == pattern[m - 1]) {
      uint i = 0;
      while (i + 1 < m && text[at + i] == pattern[i]) ++i;
      if (i + 1 == m) {
        atomic_or(&map[at / 32], 1u << (at % 32));
        atomic_inc(&found);
      }
    }
    at += shift[last];
  }
  barrier(CLK_LOCAL_MEM_FENCE);  // all have searched
  if (lid == 0 && found > 0) atomic_add(count, found);
}
