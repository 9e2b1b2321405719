// Prefix sums in local memory, and a stable partition built on them.
kernel void inclusive(global const uint *x, global uint *out, local uint *a, local uint *b) {
  size_t l = get_local_id(0);
  a[l] = x[get_global_id(0)];
  barrier(CLK_LOCAL_MEM_FENCE);
  for (size_t step = 1; step < get_local_size(0); step <<= 1) {
    b[l] = l >= step ? a[l] + a[l - step] : a[l];
    barrier(CLK_LOCAL_MEM_FENCE);
    local uint *t = a;  // the two take turns
    a = b;
    b = t;
  }
  out[get_global_id(0)] = a[l];
}

kernel void partition(global const uint *x, global uint *out, local uint *flags) {
  size_t l = get_local_id(0);
  size_t n = get_local_size(0);
  uint v = x[get_global_id(0)];
  flags[l] = v & 1;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (size_t step = 1; step < n; step <<= 1) {
    uint add = l >= step ? flags[l - step] : 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    flags[l] += add;
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  uint odd_before = flags[l] - (v & 1);
  uint evens = (uint)n - flags[n - 1];
  size_t place = v & 1 ? evens + odd_before : l - odd_before;
  out[get_global_id(0) - l + place] = v;
}
