// run: -g 4 -l 4 -a 'image2d_array(1x1,layers=3,R,FLOAT)=1,2,3' -a 'float[4]=0'
// The image has three layers, and without a sampler the index of a layer is not clamped.

kernel void pick(read_only image2d_array_t image, global float* out) {
  int i = get_global_id(0);
  out[i] = read_imagef(image, (int4)(0, 0, i, 0)).x;
}
