// run: -g 70 -a 'int[1]=0'
kernel void count(global int* counter) {
  atomic_add(counter, 1);  // reads a buffer that may be read
}
