// run: -k k -g 1 -l 1 -a 'int[1]=0' -a 'int[1]=0'
// The flag is clear.
kernel void k(volatile global atomic_flag* flag, global int* out) {
  out[0] = atomic_flag_test_and_set_explicit(flag, memory_order_relaxed, memory_scope_device);
}
