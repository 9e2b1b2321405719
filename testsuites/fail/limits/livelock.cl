// run: -g 2 -l 1 -a 'int[1]=0' --max-instructions 1000000
kernel void wait(global atomic_int* flag) {
  // Both work-groups wait, and nobody sets the flag.
  while (atomic_load(flag) == 0) {}
}
