// run: -g 1 -a 'float[1]=0' -a float=3 --build-options '-cl-finite-math-only'
kernel void k(global float* out, float x) {
  out[0] = x * 0.0f;
}
