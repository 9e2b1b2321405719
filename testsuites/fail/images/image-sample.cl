// run: -g 4 -l 4 -a 'image2d(1x1,samples=2,R,FLOAT)=1,2' -a 'float[4]=0'
// The image has two samples, and four are read.

#pragma OPENCL EXTENSION cl_khr_gl_msaa_sharing : enable
kernel void resolve(read_only image2d_msaa_t image, global float* out) {
  int i = get_global_id(0);
  out[i] = read_imagef(image, (int2)(0, 0), i).x;
}
