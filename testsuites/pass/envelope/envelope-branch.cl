// run: -g 8 -a 'float[8]=range(0.5,0.25)' -a 'float[8]=0' --envelope
// exp may err by 3 ulp, and no value of it is that near to the limit.
kernel void classify(global const float* x, global float* y) {
  size_t i = get_global_id(0);
  if (exp(x[i]) > 3.0f) {
    y[i] = 1.0f;
    for (int k = 0; k < 3; ++k) y[i] *= x[i];
  }
}
