// run: -g 1 -a 'int[4]=7'
kernel void keep(global int* data) {
  global int* copy = (global int*)(ulong)data;
  data[1] = *copy;
}
