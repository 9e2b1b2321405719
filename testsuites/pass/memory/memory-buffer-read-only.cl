// run: -g 1 -a 'int[1]=0' -a 'int[1]=0' --access 0=read-only
kernel void copy(global int* data, global int* out) {
  out[0] = data[0];
}
