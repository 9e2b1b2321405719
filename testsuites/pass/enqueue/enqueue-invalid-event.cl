// run: -g 1 -a 'int[4]=0'
kernel void parent(global int* out) {
  clk_event_t done;
  if (enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_WAIT_KERNEL, ndrange_1D(4), 0, NULL, &done,
                     ^{ out[get_global_id(0)] = 1; }) != CLK_SUCCESS)
    return;
  retain_event(done);
  release_event(done);
  if (is_valid_event(done)) release_event(done);
}
