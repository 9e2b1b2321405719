// refused: 'break' statement not in loop
kernel void k(global int *x) {
  for (int i = 0; i < 3; ++i) {
    void (^a)(void) = ^{ break; };
    a();
  }
}
