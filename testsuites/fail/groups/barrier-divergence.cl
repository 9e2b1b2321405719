// run: -g 4 -l 4 -a 'int[4]=0'
kernel void half_of_them(global int* out) {
  // Two of four work-items come to the barrier.
  if (get_local_id(0) < 2) barrier(CLK_LOCAL_MEM_FENCE);
  out[get_global_id(0)] = 1;
}
