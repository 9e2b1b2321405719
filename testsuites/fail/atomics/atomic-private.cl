// run: -g 1 -a 'int[1]=0'
kernel void count(global int* out) {
  int counter = 0;
  // Nobody else sees a private variable.
  atomic_fetch_add((atomic_int*)&counter, 1);
  out[0] = counter;
}
