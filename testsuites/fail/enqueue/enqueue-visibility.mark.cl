// run: -g 1 -a 'int[4]=0'
kernel void parent(global int* v) {
  const queue_t q = get_default_queue();
  clk_event_t first, second, mark;
  enqueue_kernel(q, CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(1), 0, NULL, &first, ^{ v[0] = 1; });
  enqueue_kernel(q, CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(1), 0, NULL, &second, ^{ v[1] = 1; });
  enqueue_marker(q, 1, &first, &mark);  // not for the second block
  enqueue_kernel(q, CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(1), 1, &mark, NULL, ^{ v[2] = v[0] + v[1]; });
  release_event(first);
  release_event(second);
  release_event(mark);
}
