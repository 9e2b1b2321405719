// refused: invalid argument type
kernel void k(global int *x) {
  int (^a)(int) = ^(int n) { return n; };
  *x = (*a)(1);
}
