// run: -g 1 -a 'int[4]=0'
kernel void parent(global int* values) {
  queue_t queue = get_default_queue();
  // Device queues are out of order: neither block waits for the other one.
  enqueue_kernel(queue, CLK_ENQUEUE_FLAGS_WAIT_KERNEL, ndrange_1D(1), ^{ values[0] = 1; });
  enqueue_kernel(queue, CLK_ENQUEUE_FLAGS_WAIT_KERNEL, ndrange_1D(1), ^{ values[0] += 1; });
}
