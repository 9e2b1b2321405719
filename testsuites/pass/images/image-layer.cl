// run: -g 4 -l 4 -a 'image2d_array(1x1,layers=3,R,FLOAT)=1,2,3' -a 'float[4]=0'
// A sampler clamps the index of the layer.

constant sampler_t edge = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_NEAREST;
kernel void pick(read_only image2d_array_t image, global float* out) {
  int i = get_global_id(0);
  out[i] = read_imagef(image, edge, (int4)(0, 0, i, 0)).x;
}
