// run: -k k -g 1 -l 1 -a 'long[4]=0' -a ulong=1
// The same store with an index inside the buffer.
kernel void k(global long* a, ulong n) { a[n] = 1; }
