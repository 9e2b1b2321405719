// run: -g 3 -l 3 -a 'image2d(4x4,levels=3,RGBA,UNORM_INT8)=0'
// There is a work-item for each level.

#pragma OPENCL EXTENSION cl_khr_mipmap_image : enable
#pragma OPENCL EXTENSION cl_khr_mipmap_image_writes : enable
kernel void clear(write_only image2d_t image) {
  int level = get_global_id(0);
  write_imagef(image, (int2)(0, 0), level, (float4)(1));
}
