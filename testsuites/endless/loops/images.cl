// run: -a 'image2d(16x16,RGBA,SIGNED_INT32)=0'
// Pixels that are read and written.
kernel void k(global int* o, local int* l, read_write image2d_t image) {
  const int me = get_global_id(0), mine = get_local_id(0);
  o[me] = 7;
  if (me == 5) o[100000] = 1;
  for (int i = 0;; ++i) write_imagei(image, (int2)(mine, i & 15), read_imagei(image, (int2)(i & 15, mine)));
}
