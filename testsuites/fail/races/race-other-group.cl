// run: -g 128 -l 64 -a 'int[128]=0' -a 'int[128]=0'
// A barrier orders the work-items of one group, but the value comes from the other.

kernel void exchange(global int* values, global int* out) {
  const size_t i = get_global_id(0);
  values[i] = (int)i;
  barrier(CLK_GLOBAL_MEM_FENCE);
  out[i] = values[(i + 64) % 128];
}
