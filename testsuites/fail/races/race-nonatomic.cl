// run: -g 64 -l 64 -a 'int[64]=0'
// A reduction without barriers: a work-item reads what another one may not have written yet.

kernel void reduce(global int* out) {
  local int sums[64];
  const size_t i = get_local_id(0);
  sums[i] = (int)i;
  if (i < 32) sums[i] += sums[i + 32];
  if (i < 32) out[i] = sums[i];
}
