// Two work-items of a group write to the same counter, and nothing orders them.
kernel void race(global int* out) {
  local int counter;
  size_t lid = get_local_id(0);
  if (lid == 0) counter = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  counter += (int)lid + 1;
  barrier(CLK_LOCAL_MEM_FENCE);
  out[lid] = counter;
}
