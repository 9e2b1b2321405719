// run: -g 2 -l 1 -a 'int[1]=0'
kernel void wait(global atomic_int* flag) {
  atomic_store(flag, 1);
  while (atomic_load(flag) == 0) {}
}
