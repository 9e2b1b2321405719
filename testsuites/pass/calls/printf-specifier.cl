// run: -g 1 -l 1 -a long=7
// A long is printed with l.

kernel void show(long value) { printf("%ld\n", value); }
