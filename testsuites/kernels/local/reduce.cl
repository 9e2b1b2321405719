// Sums over work-groups of any size, in a local argument and in a local array.
kernel void tree(global const uint *x, global uint *sums, local uint *scratch) {
  size_t l = get_local_id(0);
  size_t n = get_local_size(0);
  scratch[l] = x[get_global_id(0)];
  barrier(CLK_LOCAL_MEM_FENCE);
  while (n > 1) {
    size_t half_of_it = (n + 1) / 2;
    if (l < n / 2) scratch[l] += scratch[l + half_of_it];
    barrier(CLK_LOCAL_MEM_FENCE);
    n = half_of_it;
  }
  if (l == 0) sums[get_group_id(0)] = scratch[0];
}

kernel void strided(global const uint *x, global uint *maxima, uint count) {
  local uint best[64];
  size_t l = get_local_id(0);
  size_t n = get_local_size(0);
  uint mine = 0;
  for (size_t k = get_global_id(0); k < count; k += get_global_size(0)) mine = max(mine, x[k]);
  best[l] = mine;
  for (size_t step = 1; step < n; step *= 2) {
    barrier(CLK_LOCAL_MEM_FENCE);
    if (l % (2 * step) == 0 && l + step < n) best[l] = max(best[l], best[l + step]);
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  if (l == n - 1) maxima[get_group_id(0)] = best[0];
}
