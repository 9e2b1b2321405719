// run: -g 1 -a 'float[1]=0' -a float=nan
kernel void k(global float* out, float x) {
  out[0] = fmax(x, 0.0f);
}
