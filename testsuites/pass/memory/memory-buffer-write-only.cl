// run: -g 1 -a 'int[1]=0' --access 0=write-only
kernel void set(global int* data) {
  data[0] = 1;
}
