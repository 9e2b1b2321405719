// refused: cannot refer to a block inside block
// Example 4
kernel void k(global int *x) {
  void (^bl1)(void) = ^{ *x = 1; };
  void (^bl2)(void) = ^{ bl1(); };
  bl2();
}
