// run: -g 4 -l 4 -a 'image2d(1x1,samples=4,R,FLOAT)=1,2,3,4' -a 'float[4]=0'
// The image has four samples.

#pragma OPENCL EXTENSION cl_khr_gl_msaa_sharing : enable
kernel void resolve(read_only image2d_msaa_t image, global float* out) {
  int i = get_global_id(0);
  out[i] = read_imagef(image, (int2)(0, 0), i).x;
}
