// run: -g 1 -a 'int[4]=0' -a 'ulong[4]=0'
kernel void parent(global int* out, global ulong* times) {
  clk_event_t done[2];
  for (int i = 0; i < 2; ++i) {
    if (enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_WAIT_KERNEL, ndrange_1D(2), 0, NULL, &done[i],
                       ^{ out[2 * i + get_global_id(0)] = 1; }) != CLK_SUCCESS)
      return;
    capture_event_profiling_info(done[i], CLK_PROFILING_COMMAND_EXEC_TIME, times + 2 * i);
    release_event(done[i]);
  }
}
