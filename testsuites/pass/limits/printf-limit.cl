// run: -g 1 -l 1 -a int=7
// The largest width that assay fills up a conversion to.

kernel void show(int value) { printf("%65535d\n", value); }
