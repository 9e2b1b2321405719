// run: -g 64 -l 64 -a 'int[64]=0'
// The counter is read without an atomic operation while others may add to it.

kernel void count(global int* out) {
  const size_t i = get_global_id(0);
  atomic_inc(out);
  if (i == 63) out[1] = out[0];
}
