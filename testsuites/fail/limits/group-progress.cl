// run: -g 2 -l 1 -a 'int[1]=0'
kernel void hand_over(global atomic_int* flag) {
  // The first work-group waits for the second, which may begin when the first has ended.
  if (get_group_id(0) == 1) {
    atomic_store(flag, 1);
  } else {
    while (atomic_load(flag) == 0) {}
  }
}
