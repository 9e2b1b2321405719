// refused: must be initialized
// Example 2
kernel void k(global int *x, global int *z) {
  int (^tmp)(int, int);
  if (*z) tmp = ^int(int a, int b) { return a * b - *z; };
  *x = tmp(1, 2);
}
