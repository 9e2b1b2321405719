// run: -g 1 -a 'read_only int[1]=0' -a 'int[1]=0'
kernel void copy(global int* data, global int* out) {
  out[0] = data[0];
}
