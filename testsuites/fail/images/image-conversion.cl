// run: -g 4 -l 4 -a 'image2d(4x1,R,UNORM_INT8)=0' -a 'float[4]=1,2,0,4'
// The quotient by 0 is an infinity, and what an infinity becomes in a normalized channel is up to the device.

kernel void divide(write_only image2d_t image, global const float* in) {
  int i = get_global_id(0);
  write_imagef(image, (int2)(i, 0), (float4)(1.0f / in[i]));
}
