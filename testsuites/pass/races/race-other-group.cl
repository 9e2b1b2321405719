// run: -g 128 -l 64 -a 'int[128]=0' -a 'int[128]=0'
// The value comes from the same group.

kernel void exchange(global int* values, global int* out) {
  const size_t i = get_global_id(0);
  values[i] = (int)i;
  barrier(CLK_GLOBAL_MEM_FENCE);
  out[i] = values[i ^ 63];
}
