// run: -g 4 -a 'float[]=4,2.5,0,2' -a 'float[4]=0' --detect float-exceptions
kernel void roots(global const float* x, global float* y) {
  int i = get_global_id(0);
  y[i] = 1.0f + sqrt(x[i] - 1.0f);  // the root of -1, where x is zero; the sum is not its origin
}
