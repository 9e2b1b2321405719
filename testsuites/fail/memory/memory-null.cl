// run: -g 1 -a null -a 'int[1]=0'
kernel void copy(global int* in, global int* out) {
  out[0] = in[0];  // no buffer was given for `in`
}
