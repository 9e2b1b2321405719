// A message between work-items of one group whose operations have different scopes, both as wide as the group.
//
// Source: OpenCL API 3.3.5: since OpenCL 3.1 scopes may differ. It is run with --cl-version 3.1.
// Launch: two sub-groups of one work-item.
// Weakened: NARROW=memory_scope_sub_group: not as wide as both.
#ifndef NARROW
#define NARROW memory_scope_work_group
#endif

kernel void f(global atomic_uint *flag, global uint *data, global uint *out)
{
  if (get_global_id(0) == 0) {
    *data = 42;
    atomic_store_explicit(flag, 1, memory_order_release, memory_scope_device);
  } else {
    while (atomic_load_explicit(flag, memory_order_acquire, NARROW) == 0) {
    }
    *out = *data;
  }
}
