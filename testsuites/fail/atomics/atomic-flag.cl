// run: -k k -g 1 -l 1 -a 'int[1]=7' -a 'int[1]=0'
// The host gave the flag a value that flags do not have.
kernel void k(volatile global atomic_flag* flag, global int* out) {
  out[0] = atomic_flag_test_and_set_explicit(flag, memory_order_relaxed, memory_scope_device);
}
