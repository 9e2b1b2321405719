// refused: invalid operands to binary expression
kernel void k(global int *x) {
  int (^a)(int) = ^(int n) { return n; };
  a = ^(int n) { return n + 1; };
  *x = a(1);
}
