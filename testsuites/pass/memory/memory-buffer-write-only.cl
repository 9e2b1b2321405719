// run: -g 1 -a 'write_only int[1]=0'
kernel void set(global int* data) {
  data[0] = 1;
}
