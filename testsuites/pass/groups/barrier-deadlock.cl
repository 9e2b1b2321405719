// run: -g 2 -l 2 -a 'int[2]=0'
kernel void wait(global int* out) {
  barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
  out[get_local_id(0)] = 1;
}
