// run: -g 1 -a 'int[1]=7'
kernel void lock(global atomic_flag* flag) {
  atomic_flag_test_and_set(flag);  // 7 is neither set nor clear
}
