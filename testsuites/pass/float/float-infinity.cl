// run: -g 4 -a 'float[]=1,inf,2,3' -a 'float[4]=0' --detect float-exceptions
kernel void entropy(global const float* p, global float* y) {
  int i = get_global_id(0);
  y[i] = log(p[i]);  // of infinity, which is none of this kernel's
}
