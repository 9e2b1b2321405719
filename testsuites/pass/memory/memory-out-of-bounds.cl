// run: -g 5 -a 'int[4]=0' -a int=4
kernel void fill(global int* out, int count) {
  if (get_global_id(0) < count) out[get_global_id(0)] = 1;
}
