// run: -g 4 -l 4 -a 'image2d(4x1,RGBA,UNORM_INT8)=0.5' -a 'sampler(repeat,nearest,normalized)' -a 'float[4]=1,2,0,4' -a 'float[4]=0'
// One of the numbers is 0, and what is read at 1 / 0 is undefined with every addressing mode.

kernel void look(read_only image2d_t image, sampler_t s, global const float* in, global float* out) {
  size_t i = get_global_id(0);
  out[i] = read_imagef(image, s, (float2)(1.0f / in[i], 0.5f)).x;
}
