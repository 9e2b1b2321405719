// run: -g 4 -a 'int[4]=0' -a 'int[4]=0'
kernel void parent(global int* values, global int* out) {
  const size_t id = get_global_id(0);
  values[id] = (int)id;
  // The block need not wait for the stores of its parent.
  enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(1), ^{ out[id] = values[id]; });
}
