// run: -g 1 -l 1 -a long=7
// OpenCL C reserves the length modifier ll; a long is printed with l.

kernel void show(long value) { printf("%lld\n", value); }
