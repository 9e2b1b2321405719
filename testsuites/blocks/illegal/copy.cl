// refused: undeclared identifier 'Block_copy'
kernel void k(global int *x) {
  void (^b)(void) = ^{ *x = 1; };
  Block_copy(b);
}
