// refused: declaring function return value of type
typedef int (^block_t)(int);
block_t make(void) { return ^(int n) { return n; }; }
kernel void k(global int *x) { *x = make()(1); }
