// run: -g 64 -l 64 -a 'int[64]=0'
// The sum is made of all work-items, but not all of them come.

kernel void sum(global int* out) {
  const size_t i = get_local_id(0);
  if (i % 3 == 0) out[i] = work_group_reduce_add((int)i);
}
