// run: -g 1 -a 'int[4]=uninitialized' -a 'int[4]=0'
kernel void look(global int* in, global int* out) {
  out[in[0] & 3] = 1;  // nothing was written to the buffer
}
