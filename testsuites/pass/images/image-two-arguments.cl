// run: -g 4 -l 4 -a 'image2d(4x1,RGBA,UNORM_INT8)=0.5' -a 'image2d(4x1,RGBA,UNORM_INT8)=0'
// Another image is written.

kernel void shift(read_only image2d_t from, write_only image2d_t to) {
  int i = get_global_id(0);
  write_imagef(to, (int2)(i, 0), read_imagef(from, (int2)(i, 0)));
}
