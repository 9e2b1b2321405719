// The only acquire is the order of a compare-and-swap that fails.
// run: -g 3 -l 1 -a 'uint[1]=0' -a 'uint[3]=0' -a 'uint[3]=0'
// run: -g 3 -l 1 -a 'uint[1]=0' -a 'uint[3]=0' -a 'uint[3]=0' --many-seeds 20
// run: -g 3 -l 1 -a 'uint[1]=0' -a 'uint[3]=0' -a 'uint[3]=0' --explore all
// due: nothing
kernel void f(global atomic_uint *winner, global uint *data, global uint *out)
{
  const uint me = get_global_id(0);
  data[me] = 7;
  uint seen = 0;
  const bool won = atomic_compare_exchange_strong_explicit(winner, &seen, me + 1, memory_order_release,
                                                           memory_order_acquire, memory_scope_device);
  out[me] = won ? 7 : data[seen - 1];
}
