// run: -g 8 -l 8 -a 'int[1]=0'
kernel void mark(global int* found) {
  found[0] = 1;  // all of them write it
}
