// run: -g 64 -l 64 -a 'int[64]=0'
// The store is atomic.

kernel void search(global int* out) {
  const size_t i = get_global_id(0);
  if (i % 7 == 3) atomic_xchg(out, 1);
}
