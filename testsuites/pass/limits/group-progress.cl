// run: -g 2 -l 1 -a 'int[2]=0'
kernel void hand_over(global atomic_int* next) {
  // Groups take numbers as they begin: the one with the first number waits for nobody.
  if (atomic_fetch_add(next, 1) == 0) {
    atomic_store(next + 1, 1);
  } else {
    while (atomic_load(next + 1) == 0) {}
  }
}
