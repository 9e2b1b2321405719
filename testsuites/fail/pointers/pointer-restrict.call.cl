// run: -k k -g 1 -l 1 -a 'int[4]=0'
// What is read through one restrict parameter is written through the other one.
void add(global int* restrict a, global int* restrict b) { a[0] = b[0] + 1; }
kernel void k(global int* p) { add(p, p); }
