// refused: 'extern' storage class is disallowed
// Example 3
extern int (^getExternGlobalInt)(void);
kernel void k(global int *x) { *x = getExternGlobalInt(); }
