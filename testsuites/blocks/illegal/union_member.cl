// refused: cannot be used to declare a structure or union field
union s { int (^b)(int); int i; };
kernel void k(global int *x) { union s one; one.i = 1; *x = one.i; }
