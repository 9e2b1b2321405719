// Functions of doubles, which are computed exactly.
kernel void k(global int* o, local int* l) {
  const int me = get_global_id(0), mine = get_local_id(0);
  o[me] = 7;
  if (me == 5) o[100000] = 1;
  l[mine] = mine;
  double x = mine + 1.5;
  for (;;) {
    x = fabs(lgamma(x)) + pow(x, 1.25) + tan(x);
    if (x > 1e10) x = 1.5;
    o[32 + me] = (int)x;
  }
}
