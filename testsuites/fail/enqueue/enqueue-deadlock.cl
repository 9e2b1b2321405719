// run: -g 1 -a 'int[4]=0'
kernel void parent(global int* out) {
  queue_t queue = get_default_queue();
  clk_event_t gate = create_user_event();
  enqueue_kernel(queue, CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(4), 1, &gate, NULL, ^{ out[0] = 1; });
  release_event(gate);  // nobody can complete it any more
}
