// OpenCL C 2.0: pointers to the generic address space, converted back by to_global and its kin.
int sum_of(const int *p, int n) {
  int sum = 0;
  for (int k = 0; k < n; ++k) sum += p[k];
  return sum;
}

void bump_all(int *p, int n) {
  while (n-- > 0) *p++ += 1;
}

int where(int *p) {
  return (to_global(p) != NULL) + 2 * (to_local(p) != NULL) + 4 * (to_private(p) != NULL);
}

kernel void generic_pointers(global int *data, global int *out) {
  local int shared[4];
  size_t i = get_global_id(0);
  int mine[4] = {(int)i, 2, 3, 4};
  if (get_local_id(0) == 0) {
    for (int k = 0; k < 4; ++k) shared[k] = 10 * k + (int)get_group_id(0);
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  int *choices[3] = {data + 4 * i, shared, mine};
  int *p = choices[i % 3];
  size_t k = i * 6;
  out[k++] = sum_of(p, 4);
  out[k++] = where(p);
  out[k++] = sum_of(data + 4 * i, 3) + sum_of(shared, 2) + sum_of(mine, 4);
  bump_all(mine, 4);
  bump_all(data + 4 * i, 2);
  out[k++] = sum_of(mine, 4);
  out[k++] = p[1] + *(p + 2);
  int **q = &p;
  *q = mine;
  out[k++] = **q + where(*q);
}

// Functions that write through generic pointers of several types.
void split(ulong v, uint *low, uint *high) {
  *low = (uint)v;
  *high = (uint)(v >> 32);
}

kernel void results(global const ulong *x, global uint *out) {
  size_t i = get_global_id(0);
  uint low;
  split(x[i], &low, out + 2 * i + 1);
  out[2 * i] = low ^ 1;
}
