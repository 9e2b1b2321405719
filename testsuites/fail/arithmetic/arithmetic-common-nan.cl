// run: -g 1 -a 'float[1]=0' -a float=nan
kernel void k(global float* out, float x) {
  out[0] = max(x, 0.0f);  // max is not for NaN, fmax is
}
