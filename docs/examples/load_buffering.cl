// Each work-item loads one variable and then stores into the other one.
kernel void buffer(global int* out, global atomic_int* x) {
  const int me = get_global_id(0);
  const int loaded = atomic_load_explicit(&x[me], memory_order_relaxed, memory_scope_device);
  atomic_store_explicit(&x[1 - me], 1, memory_order_relaxed, memory_scope_device);
  out[me] = loaded;
}
