// Sparse matrix (compressed rows) times vector, a row a work-item, then y = A x + beta y.
kernel void spmv(const uint rows, global const uint *restrict row_start,
                 global const uint *restrict column, global const float *restrict value,
                 global const float *restrict x, const float beta, global float *restrict y,
                 global float *restrict largest) {
  const size_t row = get_global_id(0);
  local float biggest[32];
  float sum = 0.0f;
  if (row < rows) {
    const uint end = row_start[row + 1];
    for (uint i = row_start[row]; i < end; ++i) sum = mad(value[i], x[column[i]], sum);
    // What y held counts only where beta is not 0: it may hold nothing yet.
    if (beta != 0.0f) sum += beta * y[row];
    y[row] = sum;
  }
  // The largest magnitude of the group, for the next step of a power iteration.
  const size_t lid = get_local_id(0);
  biggest[lid] = fabs(sum);
  barrier(CLK_LOCAL_MEM_FENCE);
  if (lid == 0) {
    float m = biggest[0];
    for (size_t i = 1; i < get_local_size(0); ++i) {
      if (biggest[i] > m) m = biggest[i];
    }
    largest[get_group_id(0)] = m;
  }
}
