// run: -k k -g 1 -l 1 -a 'long[4]=0' -a ulong=0x2000000000000001
// 2^61 elements of 8 bytes are 2^64 bytes: the address wraps around and comes back to a[1].
kernel void k(global long* a, ulong n) { a[n] = 1; }
