// run: -g 1 -a 'ulong[2]=0x10000,0'
kernel void guess(global ulong* data) {
  // The number did not come from a pointer.
  global ulong* p = (global ulong*)(data[0] << 4);
  data[1] = p != 0;
}
