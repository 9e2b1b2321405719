// run: -g 8 -a 'float[8]=range(0.5,0.25)' -a 'float[8]=0' --envelope
// sin has a limit of 4 ulp.
kernel void wave(global const float* x, global float* y) {
  size_t i = get_global_id(0);
  y[i] = sin(x[i]) * 2.0f;
}
