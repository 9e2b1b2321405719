// run: -g 1 -a 'uchar[8]=0'
kernel void store(global uchar* bytes) {
  *(global int*)(bytes + 1) = 1;  // an int stands at a multiple of four
}
