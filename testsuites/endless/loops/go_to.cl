// A loop with two entries, by goto.
kernel void k(global int* o, local int* l) {
  const int me = get_global_id(0), mine = get_local_id(0);
  o[me] = 7;
  if (me == 5) o[100000] = 1;
  l[mine] = mine;
  int x = mine;
a:
  x = x * 3 + 1;
  if (x & 1) goto b;
  x += o[32 + (x & 7)];
b:
  if (x & 2) goto a;
  x ^= 5;
  o[32 + me] = x;
  goto a;
}
