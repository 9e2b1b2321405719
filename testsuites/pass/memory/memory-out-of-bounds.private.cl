// run: -g 1 -a 'int[1]=0' -a int=3
kernel void look(global int* out, int i) {
  int table[3] = {1, 2, 3};
  out[0] = table[i % 3];
}
