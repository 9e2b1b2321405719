// run: -g 64 -l 64 -a 'int[64]=0'
// All work-items ask for the value of the same one.

kernel void neighbour(global int* out) {
  const size_t i = get_local_id(0);
  for (size_t source = 0; source < 64; ++source) {
    const int value = work_group_broadcast((int)i, source);
    if (source == (i + 1) % 64) out[i] = value;
  }
}
