// run: -k k -g 1 -l 1 -a 'int[2]=0'
// The function promises to write nothing, and counts.
__attribute__((pure)) int next(global int* counter) { return ++counter[0]; }

kernel void k(global int* a) { a[1] = next(a); }
