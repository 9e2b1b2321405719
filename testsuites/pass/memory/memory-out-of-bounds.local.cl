// run: -g 8 -l 8 -a 'int[8]=0' -a 'local(32)'
kernel void shift(global int* out, local int* scratch) {
  size_t i = get_local_id(0);
  scratch[i] = (int)i;
  barrier(CLK_LOCAL_MEM_FENCE);
  out[i] = scratch[7 - i];
}
