// run: -g 1 -a 'int[4]=7'
kernel void truncate(global int* data) {
  // The upper half of the address is lost.
  global int* copy = (global int*)(ulong)(uint)((ulong)data + 0x100000);
  data[1] = *copy;
}
