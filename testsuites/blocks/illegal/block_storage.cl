// refused: __block storage type is not permitted
kernel void k(global int *x) {
  __block int n = 0;
  void (^b)(void) = ^{ n = 1; };
  b();
  *x = n;
}
