// run: -g 2 -a 'double4[2]=1' -a 'half[2]=0' --detect nan
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
kernel void narrow(global double4* x, global half* y) {
  int i = get_global_id(0);
  double4 quotient = x[i] / (double4)(1, i + 1, 1, 1);
  y[i] = convert_half(quotient.x + 60000.0);
}
