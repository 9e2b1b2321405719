// run: -g 64 -l 64 -a 'int[64]=0'
// Each work-item asks for the value of its neighbour: a broadcast has one source for all.

kernel void neighbour(global int* out) {
  const size_t i = get_local_id(0);
  out[i] = work_group_broadcast((int)i, (i + 1) % 64);
}
