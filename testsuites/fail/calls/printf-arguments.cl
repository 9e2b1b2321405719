// run: -g 1 -l 1 -a int=7
// Two conversions, one argument.

kernel void show(int value) { printf("%d of %d\n", value); }
