// cost: -g 32 -l 16 --sub-group-size 4 --threads 1 --seed 1 -a 'int[32]=0' -a 'int[32]=0'
// Each work-item releases, and acquires from the next one, MEETINGS times.
kernel void f(global atomic_int *flag, global int *data)
{
  const uint me = get_global_id(0);
  for (int i = 0; i < MEETINGS; ++i) {
    data[me] = i;
#ifndef ALONE
    atomic_store_explicit(&flag[me], i, memory_order_release, memory_scope_device);
    atomic_load_explicit(&flag[(me + 1) & 31], memory_order_acquire, memory_scope_device);
#endif
  }
}
