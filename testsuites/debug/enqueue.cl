// A kernel whose work-items enqueue a block each.
int twice(int n) { return 2 * n; }

kernel void parent(global int* out) {
  const int id = (int)get_global_id(0);
  out[id] = id + 1;
  enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_WAIT_KERNEL, ndrange_1D(1), ^{
    const int value = twice(out[id]);
    out[2 + id] = value;
  });
}
