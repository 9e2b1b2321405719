// refused: must match previous return type
kernel void k(global int *x) {
  *x = ^(int n) { if (n) return 1.0f; return 2; }(1);
}
