// Before OpenCL 3.1 scopes are inclusive only if they are the same: here are a fence of the device and one of the work-group.
// run: -g 2 -l 2 -a 'int[1]=0' -a 'int[1]=0' -a 'int[1]=9' --explore bounded:4 --cl-version 3.0
// due: race-nonatomic
kernel void f(global atomic_int *x, global int *d, global int *out)
{
  if (get_global_id(0) == 0) {
    *d = 1;
    atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, memory_order_release, memory_scope_device);
    atomic_store_explicit(x, 1, memory_order_relaxed, memory_scope_device);
  } else if (atomic_load_explicit(x, memory_order_relaxed, memory_scope_device) == 1) {
    atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, memory_order_acquire, memory_scope_work_group);
    *out = *d;
  }
}
