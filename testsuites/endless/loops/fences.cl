// Fences around relaxed accesses.
kernel void k(global int* o, local int* l) {
  const int me = get_global_id(0), mine = get_local_id(0);
  o[me] = 7;
  if (me == 5) o[100000] = 1;
  global atomic_int* a = (global atomic_int*)(o + 32);
  for (int i = 0;; ++i) {
    atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, memory_order_release, memory_scope_device);
    atomic_store_explicit(a + me, i, memory_order_relaxed, memory_scope_device);
    atomic_load_explicit(a + ((me + 1) & 31), memory_order_relaxed, memory_scope_device);
    atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, memory_order_acquire, memory_scope_device);
  }
}
