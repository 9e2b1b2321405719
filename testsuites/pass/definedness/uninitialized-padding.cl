// run: -g 1 -a 'int[1]=0'
kernel void fourth(global int* out) {
  int3 three[1];
  three[0] = (int3)(1, 2, 3);
  if (((int*)three)[2] == 3) out[0] = 1;
}
