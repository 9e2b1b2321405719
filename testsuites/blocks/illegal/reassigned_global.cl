// refused: invalid operands to binary expression
// Example 3
constant int GlobalInt = 5;
int (^getGlobalInt)(void) = ^{ return GlobalInt; };
kernel void k(global int *x) {
  getGlobalInt = ^{ return 0; };
  *x = getGlobalInt();
}
