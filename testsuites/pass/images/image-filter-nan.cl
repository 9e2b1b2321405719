// run: -g 4 -l 4 -a 'image2d(4x1,R,FLOAT)=1,nan,3,4' -a 'sampler(clamp,nearest,unnormalized)' -a 'float[4]=0'
// Without a filter a NaN is read as it is.

kernel void between(read_only image2d_t image, sampler_t s, global float* out) {
  int i = get_global_id(0);
  out[i] = read_imagef(image, s, (float2)(i + 0.5f, 0.5f)).x;
}
