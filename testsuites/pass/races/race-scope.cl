// run: -g 128 -l 64 -a 'int[64]=0'
// Atomic operations of the device.

kernel void count(global int* out) {
  global atomic_int* counter = (global atomic_int*)out;
  atomic_fetch_add_explicit(counter, 1, memory_order_seq_cst, memory_scope_device);
}
