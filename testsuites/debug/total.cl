kernel void total(global const float* x, global float* sum, local float* part) {
  size_t i = get_local_id(0);
  part[i] = x[get_global_id(0)];
  barrier(CLK_LOCAL_MEM_FENCE);
  for (size_t s = get_local_size(0) / 2; s > 0; s /= 2) {
    if (i < s) part[i] += part[i + s];
  }
  if (i == 0) sum[get_group_id(0)] = part[0];
}
