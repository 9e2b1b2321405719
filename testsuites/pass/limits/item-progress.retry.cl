// run: -g 32 -l 32 -a 'int[1]=0'
// Who fails has seen another one's success, and tries again with that.
kernel void most(global int* largest) {
  const int mine = get_local_id(0) * 7 % 32;
  int seen = 0;
  for (;;) {
    const int old = atomic_cmpxchg(largest, seen, max(seen, mine));
    if (old == seen) break;
    seen = old;
  }
  atomic_add(largest, 1);
}
