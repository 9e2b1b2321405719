// run: -g 4 -l 4 -a 'image2d(4x1,RGBA,UNORM_INT8)=0.5' -a 'sampler(repeat,nearest,unnormalized)' -a 'float[4]=0'
// The sampler repeats, and its coordinates are not normalized.

kernel void tile(read_only image2d_t image, sampler_t s, global float* out) {
  int i = get_global_id(0);
  out[i] = read_imagef(image, s, (float2)(i, 0.5f)).x;
}
