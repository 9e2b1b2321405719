// run: -g 1 -l 1 -a int=7
// As many arguments as conversions.

kernel void show(int value) { printf("%d of %d\n", value, 10); }
