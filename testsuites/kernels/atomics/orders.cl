// Atomics of OpenCL C 2.0 with explicit orders and scopes.
kernel void counters(global const int *x, volatile global atomic_int *c,
                     volatile global atomic_uint *u) {
  int v = x[get_global_id(0)] % 1000;
  atomic_fetch_add_explicit(&c[0], v, memory_order_relaxed, memory_scope_device);
  atomic_fetch_sub_explicit(&c[1], v, memory_order_relaxed, memory_scope_device);
  atomic_fetch_min_explicit(&c[2], v, memory_order_acq_rel, memory_scope_device);
  atomic_fetch_max_explicit(&c[3], v, memory_order_acquire, memory_scope_device);
  atomic_fetch_or_explicit(&c[4], v & 0xff, memory_order_release, memory_scope_device);
  atomic_fetch_xor_explicit(&c[5], v, memory_order_relaxed, memory_scope_device);
  atomic_fetch_and_explicit(&c[6], ~(v & 0x18), memory_order_relaxed, memory_scope_device);
  atomic_fetch_max_explicit(&u[0], (uint)v, memory_order_relaxed, memory_scope_device);
  atomic_fetch_min_explicit(&u[1], (uint)v, memory_order_relaxed, memory_scope_device);
  uint expected = atomic_load_explicit(&u[2], memory_order_relaxed, memory_scope_device);
  while (!atomic_compare_exchange_strong_explicit(&u[2], &expected, expected * 3 + 1,
                                                  memory_order_acq_rel, memory_order_acquire,
                                                  memory_scope_device)) {
  }
}

// A message through local memory: released by one work-item, acquired by the others of its group
// after a barrier.
kernel void in_group(global uint *out) {
  local atomic_uint flag;
  local uint payload;
  size_t l = get_local_id(0);
  if (l == 0) atomic_store_explicit(&flag, 0u, memory_order_relaxed, memory_scope_work_group);
  work_group_barrier(CLK_LOCAL_MEM_FENCE);
  if (l == get_local_size(0) - 1) {
    payload = 42 + (uint)get_group_id(0);
    atomic_store_explicit(&flag, 7u, memory_order_release, memory_scope_work_group);
  }
  work_group_barrier(CLK_LOCAL_MEM_FENCE);
  uint seen = atomic_load_explicit(&flag, memory_order_acquire, memory_scope_work_group);
  atomic_work_item_fence(CLK_LOCAL_MEM_FENCE, memory_order_acq_rel, memory_scope_work_group);
  uint old = atomic_exchange_explicit(&flag, 7u, memory_order_acq_rel, memory_scope_work_group);
  out[get_global_id(0)] = payload * 100 + seen * 10 + old;
}

kernel void flags(global uint *out) {
  local atomic_flag taken;
  local atomic_uint winners;
  if (get_local_id(0) == 0) {
    atomic_flag_clear_explicit(&taken, memory_order_relaxed, memory_scope_work_group);
    atomic_store_explicit(&winners, 0u, memory_order_relaxed, memory_scope_work_group);
  }
  work_group_barrier(CLK_LOCAL_MEM_FENCE);
  if (!atomic_flag_test_and_set_explicit(&taken, memory_order_acq_rel, memory_scope_work_group)) {
    atomic_fetch_add_explicit(&winners, 1u, memory_order_relaxed, memory_scope_work_group);
  }
  work_group_barrier(CLK_LOCAL_MEM_FENCE);
  out[get_global_id(0)] =
      atomic_load_explicit(&winners, memory_order_relaxed, memory_scope_work_group);
}
