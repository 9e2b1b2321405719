// run: -g 1 -a 'float[1]=0' -a float=65537
kernel void k(global float* out, float x) {
  out[0] = sin(x);
}
