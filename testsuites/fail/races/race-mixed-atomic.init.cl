// run: -g 4 -l 4 -a 'int[4]=0'
kernel void count(global int* out) {
  local atomic_int counter;
  if (get_local_id(0) == 0) atomic_init(&counter, 0);
  // The others may be here before it.
  out[get_local_id(0)] = atomic_fetch_add(&counter, 1);
}
