// run: -g 2 -l 1 -a 'int[1]=0' --forward-progress work-group
kernel void hand_over(global atomic_int* flag) {
  // The first work-group waits for the second: right where all of them run at the same time.
  if (get_group_id(0) == 1) {
    atomic_store(flag, 1);
  } else {
    while (atomic_load(flag) == 0) {}
  }
}
