// run: -g 64 -l 64 -a 'int[64]=0'
// All work-items come; those that do not count give 0.

kernel void sum(global int* out) {
  const size_t i = get_local_id(0);
  out[i] = work_group_reduce_add(i % 3 == 0 ? (int)i : 0);
}
