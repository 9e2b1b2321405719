// Jacobi iteration for a dense system, one equation a work-item, all in one work-group: ends early when no
// unknown changed by more than a tolerance.  The system is scaled so that its diagonal is 1.
kernel void jacobi(global const float *restrict a, global const float *restrict b,
                   global float *restrict x_out, const float tolerance, const int max_steps,
                   local float *x, global int *steps_out) {
  local int changed;
  const int row = get_local_id(0);
  const int n = get_local_size(0);

  x[row] = 0.0f;
  int step = 0;
  bool go_on = true;
  while (go_on && step < max_steps) {
    if (row == 0) changed = 0;
    barrier(CLK_LOCAL_MEM_FENCE);  // x and flag are ready

    float sum = b[row];
    for (int j = 0; j < n; ++j) {
      if (j != row) sum -= a[row * n + j] * x[j];
    }
    if (fabs(sum - x[row]) > tolerance) atomic_or(&changed, 1);
    barrier(CLK_LOCAL_MEM_FENCE);  // all have read x and said whether it changes

    x[row] = sum;
    go_on = changed != 0;
    ++step;
    barrier(CLK_LOCAL_MEM_FENCE);  // all have read the flag
  }
  x_out[row] = x[row];
  if (row == 0) *steps_out = step;
}
