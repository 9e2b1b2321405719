// run: -g 1 -a 'int[1]=0' --max-children 100
void again(global int* count) {
  *count += 1;
  enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_WAIT_KERNEL, ndrange_1D(1), ^{ again(count); });
}
kernel void parent(global int* count) { again(count); }
