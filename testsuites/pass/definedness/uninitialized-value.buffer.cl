// run: -g 1 -a 'int[4]=uninitialized' -a 'int[4]=0'
kernel void look(global int* in, global int* out) {
  in[0] = 2;
  out[in[0] & 3] = 1;
}
