// run: -g 1 -a 'int[4]=0'
kernel void parent(global int* values) {
  // Device queues are out of order: neither block waits for the other one.
  enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_WAIT_KERNEL, ndrange_1D(4),
                 ^{ values[get_global_id(0)] = 1; });
  enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_WAIT_KERNEL, ndrange_1D(4),
                 ^{ values[get_global_id(0)] += 1; });
}
