// run: -g 4 -a 'int[4]=0' -a 'int[4]=0'
kernel void parent(global int* values, global int* out) {
  const size_t id = get_global_id(0);
  values[id] = (int)id;
  enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_WAIT_KERNEL, ndrange_1D(1), ^{ out[id] = values[id]; });
}
