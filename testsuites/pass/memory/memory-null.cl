// run: -g 1 -a null -a 'int[1]=0'
kernel void copy(global int* in, global int* out) {
  if (in != 0) out[0] = in[0];
}
