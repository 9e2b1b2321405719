// run: -g 1 -a 'int[4]=0' -a 'ulong[4]=0'
kernel void parent(global int* out, global ulong* times) {
  clk_event_t done;
  if (enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_WAIT_KERNEL, ndrange_1D(4), 0, NULL, &done,
                     ^{ out[get_global_id(0)] = 1; }) != CLK_SUCCESS)
    return;
  capture_event_profiling_info(done, CLK_PROFILING_COMMAND_EXEC_TIME, times);
  capture_event_profiling_info(done, CLK_PROFILING_COMMAND_EXEC_TIME, times + 2);
  release_event(done);
}
