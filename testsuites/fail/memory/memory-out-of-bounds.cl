// run: -g 5 -a 'int[4]=0'
kernel void fill(global int* out) {
  out[get_global_id(0)] = 1;  // there are four elements and five work-items
}
