// run: -g 4 -l 4 -a 'image2d(4x1,RGBA,UNORM_INT8)=0.5' -a 'sampler(clamp,linear,unnormalized)' -a 'float[4]=0'
// The coordinates are integers, and the sampler filters.

kernel void copy(read_only image2d_t image, sampler_t s, global float* out) {
  int i = get_global_id(0);
  out[i] = read_imagef(image, s, (int2)(i, 0)).x;
}
