// run: -g 1 -a 'long[1]=0' -a int=-2147483648 -a int=-1
kernel void divide(global long* out, int a, int b) {
  out[0] = (long)a / b;
}
