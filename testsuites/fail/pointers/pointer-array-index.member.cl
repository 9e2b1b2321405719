// run: -g 1 -a 'int[1]=0' -a int=4
typedef struct {
  int a[4];
  int b;
} S;
kernel void fill(global int* out, int last) {
  S s;
  s.b = 0;
  for (int i = 0; i <= last; ++i) s.a[i] = 7;  // s.a[4] is s.b
  out[0] = s.b;
}
