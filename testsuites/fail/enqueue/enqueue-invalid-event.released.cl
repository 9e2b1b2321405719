// run: -g 1 -a 'int[4]=0'
kernel void parent(global int* out) {
  queue_t queue = get_default_queue();
  clk_event_t done;
  if (enqueue_kernel(queue, CLK_ENQUEUE_FLAGS_WAIT_KERNEL, ndrange_1D(4), 0, NULL, &done,
                     ^{ out[get_global_id(0)] = 1; }) != CLK_SUCCESS)
    return;
  release_event(done);
  // It waits for what is not valid any more.
  enqueue_kernel(queue, CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(1), 1, &done, NULL, ^{ out[0] = 1; });
}
