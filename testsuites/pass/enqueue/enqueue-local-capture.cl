// run: -g 1 -a 'int[4]=0' -a 'local(16)'
kernel void parent(global int* out, local int* scratch) {
  scratch[0] = 3;
  const int first = scratch[0];
  void (^block)(local void*) = ^(local void* own) {
    local int* p = (local int*)own;  // the block's own local memory
    p[get_local_id(0)] = first;
    out[get_global_id(0)] = p[get_local_id(0)];
  };
  enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_WAIT_KERNEL, ndrange_1D(4, 4), block, 16);
}
