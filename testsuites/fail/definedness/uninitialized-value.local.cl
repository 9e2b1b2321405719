// run: -g 2 -l 2 -a 'int[2]=0' -a 'local(8)'
kernel void read(global int* out, local int* scratch) {
  // Local memory holds nothing when a work-group begins.
  if (scratch[get_local_id(0)] > 0) out[get_local_id(0)] = 1;
}
