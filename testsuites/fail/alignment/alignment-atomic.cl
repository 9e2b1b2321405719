// run: -g 1 -a 'uchar[8]=0'
kernel void count(global uchar* bytes) {
  atomic_inc((volatile global int*)(bytes + 2));  // a counter in the middle of others
}
