// Two-stage sum: a few groups walk the input in steps of the whole index space with vector loads, and
// a second launch of one group adds up what they left.
#define GROUP 64

float sum_of_group(local float *tile, size_t lid, float mine) {
  tile[lid] = mine;
  barrier(CLK_LOCAL_MEM_FENCE);  // before the tree
  for (size_t s = GROUP / 2; s > 0; s >>= 1) {
    if (lid < s) tile[lid] += tile[lid + s];
    barrier(CLK_LOCAL_MEM_FENCE);  // in the tree
  }
  return tile[0];
}

kernel __attribute__((reqd_work_group_size(GROUP, 1, 1)))
void partial_sums(global const float *restrict in, uint n, global float *restrict sums) {
  local float tile[GROUP];
  const size_t step = get_global_size(0);
  float4 four = (float4)(0.0f);
  for (size_t i = get_global_id(0); i < n / 4; i += step) four += vload4(i, in);
  float one = four.x + four.y + four.z + four.w;
  // The up to three numbers behind the last whole vector.
  const size_t rest = n / 4 * 4 + get_global_id(0);
  if (rest < n) one += in[rest];
  const float sum = sum_of_group(tile, get_local_id(0), one);
  if (get_local_id(0) == 0) sums[get_group_id(0)] = sum;
}

kernel __attribute__((reqd_work_group_size(GROUP, 1, 1)))
void final_sum(global const float *restrict sums, uint count, global float *restrict result) {
  local float tile[GROUP];
  const size_t lid = get_local_id(0);
  const float sum = sum_of_group(tile, lid, lid < count ? sums[lid] : 0.0f);
  if (lid == 0) *result = sum;
}
