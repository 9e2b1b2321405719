// run: -g 4 -a 'float[]=1,0.001,2,3' -a 'float[4]=0' --detect float-exceptions --cancellation-bits 16
kernel void one_minus_cosine(global const float* x, global float* y) {
  int i = get_global_id(0);
  y[i] = 1.0f - cos(x[i]);  // 21 bits cancel where x is 0.001; 2 * sin(x/2) * sin(x/2) has them all
}
