// Each waits in a loop over two variables, and every schedule lets the other one run.
// run: -g 2 -l 1 -a 'int[2]=0' -a 'int[1]=0' -a 'int[1]=0' --explore bounded:1
// run: -g 2 -l 1 -a 'int[2]=0' -a 'int[1]=0' -a 'int[1]=0' --explore all
// due: nothing
#define DEVICE memory_scope_device
kernel void f(global atomic_int *flag, global atomic_int *turn, global int *n)
{
  const int me = get_global_id(0), other = 1 - me;
  atomic_store_explicit(&flag[me], 1, memory_order_seq_cst, DEVICE);
  atomic_store_explicit(turn, other, memory_order_seq_cst, DEVICE);
  while (atomic_load_explicit(&flag[other], memory_order_seq_cst, DEVICE) &&
         atomic_load_explicit(turn, memory_order_seq_cst, DEVICE) == other) {
  }
  *n += 1;
  atomic_store_explicit(&flag[me], 0, memory_order_release, DEVICE);
}
