// run: -g 1 -a 'int[4]=0'
kernel void parent(global int* out) {
  clk_event_t gate = create_user_event();
  enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_WAIT_KERNEL, ndrange_1D(4), 1, &gate, NULL,
                 ^{ out[get_global_id(0)] = 1; });
  release_event(gate);  // nobody can complete it any more
}
