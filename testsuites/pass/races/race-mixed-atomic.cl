// run: -g 64 -l 64 -a 'int[64]=0'
// A barrier lies between the additions and the read.

kernel void count(global int* out) {
  const size_t i = get_global_id(0);
  atomic_inc(out);
  barrier(CLK_GLOBAL_MEM_FENCE);
  if (i == 63) out[1] = out[0];
}
