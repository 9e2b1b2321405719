// run: -g 4 -l 4 -a 'image2d(4x1,RGBA,UNORM_INT8)=0.5' -a 'float[4]=0'
// The sampler returns the border color there.

constant sampler_t border = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP | CLK_FILTER_NEAREST;
kernel void step(read_only image2d_t image, global float* out) {
  int i = get_global_id(0);
  out[i] = read_imagef(image, border, (int2)(i + 1, 0)).x;
}
