// run: -g 1 -a 'int[4]=0'
kernel void parent(global int* values) {
  clk_event_t first;
  if (enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_WAIT_KERNEL, ndrange_1D(4), 0, NULL, &first,
                     ^{ values[get_global_id(0)] = 1; }) != CLK_SUCCESS)
    return;
  enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_WAIT_KERNEL, ndrange_1D(4), 1, &first, NULL,
                 ^{ values[get_global_id(0)] += 1; });
  release_event(first);
}
