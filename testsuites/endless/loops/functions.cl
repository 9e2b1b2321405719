// Calls and switches.
__attribute__((noinline)) int next(int x) {
  switch (x & 3) {
    case 0: return x * 5 + 1;
    case 1: return x + 7;
    case 2: return -x;
    default: return x ^ 85;
  }
}
kernel void k(global int* o, local int* l) {
  const int me = get_global_id(0), mine = get_local_id(0);
  o[me] = 7;
  if (me == 5) o[100000] = 1;
  for (volatile int x = me;;) x = next(x) & 1023;
}
