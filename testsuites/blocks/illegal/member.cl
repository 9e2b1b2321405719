// refused: cannot be used to declare a structure or union field
struct s { int (^b)(int); };
kernel void k(global int *x) {
  struct s one = {^(int n) { return n; }};
  *x = one.b(1);
}
