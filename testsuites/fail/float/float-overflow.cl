// run: -g 4 -a 'float[]=1,1e20,2,3' -a 'float[4]=0' --detect float-exceptions
kernel void squares(global const float* x, global float* y) {
  int i = get_global_id(0);
  y[i] = sqrt(x[i] * x[i] + 1.0f);  // the square of 1e20 is no float; hypot(x[i], 1) has no such step
}
