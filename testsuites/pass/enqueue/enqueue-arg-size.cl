// run: -g 1 -a 'int[4]=0' -a uint=16
kernel void parent(global int* out, uint size) {
  void (^block)(local void*) = ^(local void* own) {
    ((local int*)own)[get_local_id(0)] = 1;
    out[get_global_id(0)] = ((local int*)own)[get_local_id(0)];
  };
  enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_WAIT_KERNEL, ndrange_1D(4, 4), block, size);
}
