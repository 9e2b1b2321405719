// run: -g 1 -a 'float[1]=0' -a float=-2 -a float=0.5 --build-options -cl-unsafe-math-optimizations
kernel void power(global float* out, float x, float y) {
  out[0] = pow(x, y);  // relaxed pow is not for negative numbers and fractions
}
