// run: -g 1 -a 'int[1]=0' -a int=-2147483648 -a int=-1
kernel void divide(global int* out, int a, int b) {
  out[0] = a / b;  // 2147483648 is no int
}
