// run: -g 1 -a 'int[1]=0'
kernel void lock(global atomic_flag* flag) {
  atomic_flag_test_and_set(flag);
  atomic_flag_clear(flag);
}
