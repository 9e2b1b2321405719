// refused: declaring function parameter of type
// Example 1: the text calls it legal, and its restrictions forbid it: "A block cannot be a return value or a parameter of a function."
void foo(int *x, int (^bar)(int, int)) { *x = bar(*x, *x); }
kernel void k(global int *x, global int *z) {
  int y = *x;
  foo(&y, ^int(int a, int b) { return a + b + *z; });
  *x = y;
}
