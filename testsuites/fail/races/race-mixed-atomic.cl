// run: -g 8 -l 8 -a 'int[1]=0' -a 'int[8]=0'
kernel void count(volatile global int* counter, global int* out) {
  atomic_inc(counter);
  out[get_local_id(0)] = *(global int*)counter;  // a plain load beside atomic operations
}
