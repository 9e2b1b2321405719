// run: -g 4 -a 'float[]=4,nan,0,inf' -a 'float[4]=0' --detect nan
kernel void roots(global const float* x, global float* y) {
  int i = get_global_id(0);
  y[i] = 1.0f + sqrt(fmax(x[i] - 1.0f, 0.0f));  // what the buffer has is not made here
}
