// seq_cst fences between relaxed stores and loads of all work-items.
kernel void k(global int* o, local int* l) {
  const int me = get_global_id(0), mine = get_local_id(0);
  o[me] = 7;
  if (me == 5) o[100000] = 1;
  l[mine] = mine;
  volatile global atomic_int* f = (volatile global atomic_int*)&o[32];
  for (int i = 0;; ++i) {
    atomic_store_explicit(&f[mine], i, memory_order_relaxed, memory_scope_device);
    atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, memory_order_seq_cst, memory_scope_device);
    l[mine] =
        atomic_load_explicit(&f[(mine * 7 + i) & 15], memory_order_relaxed, memory_scope_device);
  }
}
