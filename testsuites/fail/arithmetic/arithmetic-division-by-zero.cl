// run: -g 1 -a 'int[1]=0' -a int=7 -a int=0
kernel void divide(global int* out, int a, int b) {
  out[0] = a / b;  // b is 0
}
