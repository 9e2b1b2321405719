// run: -g 4 -l 4 -a 'image2d(4x1,RGBA,UNORM_INT8)=0.5' -a 'float[4]=0'
// The last work-item reads the element behind the row: without a sampler nothing moves it inside.

kernel void step(read_only image2d_t image, global float* out) {
  int i = get_global_id(0);
  out[i] = read_imagef(image, (int2)(i + 1, 0)).x;
}
