// run: -g 4 -l 4 -a 'image2d(4x1,R,UNSIGNED_INT8)=1,2,3,4' -a 'float[4]=0'
// The channels are integers, and read_imagef is for normalized and float channels.

kernel void convert(read_only image2d_t image, global float* out) {
  int i = get_global_id(0);
  out[i] = read_imagef(image, (int2)(i, 0)).x;
}
