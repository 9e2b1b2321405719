// run: -g 1 -a 'uchar[8]=0'
kernel void store(global uchar* bytes) {
  *(global int*)(bytes + 4) = 1;
}
