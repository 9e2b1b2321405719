// run: -g 8 -a 'float[8]=range(0.5,0.25)' -a 'float[8]=0' --envelope
// The error of native_sin is the device's affair.
kernel void wave(global const float* x, global float* y) {
  size_t i = get_global_id(0);
  y[i] = native_sin(x[i]) * 2.0f;
}
