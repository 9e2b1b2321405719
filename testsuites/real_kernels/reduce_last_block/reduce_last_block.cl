// Sum in one launch: every group leaves a partial sum, and the group that finishes last adds them up.
// The counter's acquire-release addition makes the others' partial sums visible to that group's first
// work-item; the barrier with a global fence passes that on to the rest of the group.
#define GROUP 32

long tree(local long *tile, uint lid) {
  for (uint s = GROUP / 2; s > 0; s >>= 1) {
    work_group_barrier(CLK_LOCAL_MEM_FENCE);  // level
    if (lid < s) tile[lid] += tile[lid + s];
  }
  work_group_barrier(CLK_LOCAL_MEM_FENCE);  // sum is there
  const long sum = tile[0];
  work_group_barrier(CLK_LOCAL_MEM_FENCE);  // tile is free again
  return sum;
}

kernel void sum(global const int *in, uint n, global long *partial, global atomic_uint *finished,
                global long *result) {
  local long tile[GROUP];
  local int is_last;
  const uint lid = get_local_id(0);
  const uint groups = get_num_groups(0);

  long mine = 0;
  for (uint i = get_global_id(0); i < n; i += get_global_size(0)) mine += in[i];
  tile[lid] = mine;
  const long group_sum = tree(tile, lid);

  if (lid == 0) {
    partial[get_group_id(0)] = group_sum;
    const uint before =
        atomic_fetch_add_explicit(finished, 1, memory_order_acq_rel, memory_scope_device);
    is_last = before == groups - 1;
  }
  work_group_barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
  if (!is_last) return;

  long rest = 0;
  for (uint g = lid; g < groups; g += GROUP) rest += partial[g];
  tile[lid] = rest;
  const long total = tree(tile, lid);
  if (lid == 0) {
    *result += total;
    // Ready for the next launch.
    atomic_store_explicit(finished, 0, memory_order_relaxed, memory_scope_device);
  }
}
