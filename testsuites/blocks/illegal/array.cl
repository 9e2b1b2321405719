// refused: type is invalid in OpenCL
kernel void k(global int *x) {
  int (^b[2])(int) = {^(int n) { return n; }, ^(int n) { return n + 1; }};
  *x = b[0](1);
}
