// run: -g 4 -l 4 -a 'int[4]=0'
kernel void all_of_them(global int* out) {
  if (get_local_size(0) > 2) barrier(CLK_LOCAL_MEM_FENCE);
  out[get_global_id(0)] = 1;
}
