// run: -g 2 -l 2 -a 'int[1]=0' -a 'int[1]=0'
kernel void signal(global atomic_int* flag, global int* out) {
  if (get_local_id(0) == 0) {
    atomic_store(flag, 1);
  } else {
    out[0] = atomic_load(flag);
  }
}
