// run: -g 4 -l 4 -a 'image2d(4x1,R,UNSIGNED_INT8)=1,2,3,4' -a 'sampler(clamp,linear,normalized)' -a 'uint[4]=0'
// The sampler filters, and integers cannot be filtered.

kernel void scale(read_only image2d_t image, sampler_t s, global uint* out) {
  int i = get_global_id(0);
  out[i] = read_imageui(image, s, (float2)(i * 0.25f, 0.5f)).x;
}
