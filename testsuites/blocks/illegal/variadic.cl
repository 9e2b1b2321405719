// refused: variadic arguments are not allowed
kernel void k(global int *x) {
  void (^b)(int, ...) = ^(int n, ...) { *x = n; };
  b(1, 2);
}
