// refused: block type cannot be used as expression in ternary expression
kernel void k(global int *x) {
  int (^a)(int) = ^(int n) { return n; };
  int (^b)(int) = ^(int n) { return n + 1; };
  *x = (*x ? a : b)(1);
}
