// run: -g 1 -a 'ulong[1]=0'
union U {
  short narrow;
  int wide;
};
struct S {
  union U table[5][2];
  int rest[40];
};
kernel void sum(global ulong* out) {
  struct S s = {{{{1}}}, {2}};
  struct S* p = &s;
  ulong all = 0;
  for (int i = 0; i < 9; ++i) all += p->table[i][0].narrow;  // the fifth is a part of s.rest
  out[0] = all;
}
