// run: -g 4 -l 4 -a 'image2d(4x4,levels=3,RGBA,UNORM_INT8)=0'
// The image has three levels, and the last work-item writes to a fourth.

#pragma OPENCL EXTENSION cl_khr_mipmap_image : enable
#pragma OPENCL EXTENSION cl_khr_mipmap_image_writes : enable
kernel void clear(write_only image2d_t image) {
  int level = get_global_id(0);
  write_imagef(image, (int2)(0, 0), level, (float4)(1));
}
