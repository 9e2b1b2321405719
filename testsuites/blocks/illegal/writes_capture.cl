// refused: variable is not assignable
kernel void k(global int *x) {
  int n = 1;
  void (^a)(void) = ^{ n = 2; };
  a();
  *x = n;
}
