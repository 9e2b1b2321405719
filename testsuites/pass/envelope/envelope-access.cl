// run: -g 8 -a 'float[8]=range(0.5,0.5)' -a 'float[65536]=0' --envelope
// All values that exp may have lead to the same element.
kernel void scatter(global const float* x, global float* y) {
  size_t i = get_global_id(0);
  int place = convert_int(exp(x[i]) * 16.0f) & 65535;
  y[place] = x[i];
}
