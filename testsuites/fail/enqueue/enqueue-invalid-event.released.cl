// run: -g 1 -a 'int[4]=0'
kernel void parent(global int* out) {
  queue_t queue = get_default_queue();
  clk_event_t first;
  if (enqueue_kernel(queue, CLK_ENQUEUE_FLAGS_WAIT_KERNEL, ndrange_1D(4), 0, NULL, &first,
                     ^{ out[get_global_id(0)] = 1; }) != CLK_SUCCESS)
    return;
  release_event(first);
  // It waits for what is not valid any more.
  enqueue_kernel(queue, CLK_ENQUEUE_FLAGS_WAIT_KERNEL, ndrange_1D(4), 1, &first, NULL,
                 ^{ out[get_global_id(0)] += 1; });
}
