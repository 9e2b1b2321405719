// run: -g 8 -a 'float[8]=range(10,0.25)' -a 'float[65536]=0' --envelope
// exp of 10 and more may err by so much that the element has hundreds of candidates.
kernel void scatter(global const float* x, global float* y) {
  size_t i = get_global_id(0);
  int place = convert_int(exp(x[i]) * 4096.0f) & 65535;
  y[place] = x[i];
}
