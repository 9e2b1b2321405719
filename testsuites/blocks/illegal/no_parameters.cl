// refused: too many arguments to block call
// A block that takes no arguments must specify void in the list of its type.
kernel void k(global int *x) {
  int (^a)() = ^{ return 1; };
  *x = a(3);
}
