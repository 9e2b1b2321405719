// run: -g 64 -l 64 -a 'int[64]=0'
// The flag is atomic.

kernel void signal(global int* out) {
  volatile global atomic_int* flag = (volatile global atomic_int*)out;
  const size_t i = get_global_id(0);
  if (i == 0) {
    atomic_store_explicit(flag, 1, memory_order_relaxed, memory_scope_device);
  } else if (i == 1) {
    out[1] = atomic_load_explicit(flag, memory_order_relaxed, memory_scope_device);
  }
}
