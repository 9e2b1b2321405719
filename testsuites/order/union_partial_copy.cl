// Two of the four bytes that are stored are undefined.
// run: -g 1 -a 'int[1]=0' --seed 3
// due: uninitialized-union
union both {
  short s;
  int i;
};
kernel void f(global int *out)
{
  union both u;
  u.s = 1;
  out[0] = u.i;
}
