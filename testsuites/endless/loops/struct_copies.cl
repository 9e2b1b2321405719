// Structures of 16 KiB are copied.
typedef struct {
  int a[4096];
} big;
kernel void k(global int* o, local int* l) {
  const int me = get_global_id(0), mine = get_local_id(0);
  o[me] = 7;
  if (me == 5) o[100000] = 1;
  l[mine] = mine;
  big b, c;
  for (int i = 0; i < 4096; ++i) b.a[i] = i;
  for (;;) {
    c = b;
    c.a[mine] += 1;
    b = c;
    o[32 + me] = c.a[4095];
  }
}
