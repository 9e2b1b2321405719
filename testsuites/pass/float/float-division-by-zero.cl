// run: -g 4 -a 'float[]=1,0,2,3' -a 'float[4]=0' --detect float-exceptions
kernel void inverses(global const float* x, global float* y) {
  int i = get_global_id(0);
  y[i] = x[i] != 0 ? 1.0f / fmax(x[i], 1e-30f) : 0;
}
