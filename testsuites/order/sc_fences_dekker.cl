// At most one of the two enters: if fence X is before fence Y in S, a load behind Y sees what is stored before X.
// run: -g 2 -l 1 -a 'int[1]=0' -a 'int[1]=0' -a 'int[1]=0' --many-seeds 20
// run: -g 2 -l 1 -a 'int[1]=0' -a 'int[1]=0' -a 'int[1]=0' --explore bounded:4
// run: -g 2 -l 1 -a 'int[1]=0' -a 'int[1]=0' -a 'int[1]=0' --explore all
// due: nothing
kernel void f(global atomic_int *x, global atomic_int *y, global int *data)
{
  if (get_global_id(0) == 0) {
    atomic_store_explicit(x, 1, memory_order_relaxed, memory_scope_device);
    atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, memory_order_seq_cst, memory_scope_device);
    if (atomic_load_explicit(y, memory_order_relaxed, memory_scope_device) == 0)
      *data = 1;
  } else {
    atomic_store_explicit(y, 1, memory_order_relaxed, memory_scope_device);
    atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, memory_order_seq_cst, memory_scope_device);
    if (atomic_load_explicit(x, memory_order_relaxed, memory_scope_device) == 0)
      *data = 2;
  }
}
