// run: -g 1 -a 'int[4]=0' -a 'local(16)'
kernel void parent(global int* out, local int* scratch) {
  enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_WAIT_KERNEL, ndrange_1D(4), ^{
    local int* p = scratch;  // of the parent's work-group, which is over
    out[get_global_id(0)] = p != 0;
  });
}
