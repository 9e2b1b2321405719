// run: -g 1 -l 1 -a int=7
// The width is more than assay fills up a conversion to.

kernel void show(int value) { printf("%70000d\n", value); }
