// run: -g 1 -a 'int[1]=0'
constant int table[2] = {1, 2};
kernel void change(global int* out) {
  *(global int*)(ulong)&table[1] = 3;  // the cast does not make it writable
  out[0] = 1;
}
