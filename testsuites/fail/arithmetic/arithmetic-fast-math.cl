// run: -g 1 -a 'float[1]=0' -a float=inf --build-options '-cl-finite-math-only'
kernel void k(global float* out, float x) {
  out[0] = x * 0.0f;  // it was built for finite numbers only
}
