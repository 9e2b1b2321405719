// run: -g 5 -l 5 -a 'image2d(4x1,RGBA,UNORM_INT8)=0.5'
// The index space is larger than the image, and work-items that have no element do nothing.

kernel void fill(write_only image2d_t image) {
  int i = get_global_id(0);
  if (i < get_image_width(image)) write_imagef(image, (int2)(i, 0), (float4)(1));
}
