// run: -g 1 -a 'int[1]=0'
constant int table[2] = {1, 2};
kernel void change(global int* out) {
  int copy[2] = {table[0], table[1]};
  copy[1] = 3;
  out[0] = copy[1];
}
