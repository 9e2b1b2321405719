// refused: must be initialized
// Example 3
int (^getAnotherGlobalInt)(void);
kernel void k(global int *x) { *x = getAnotherGlobalInt(); }
