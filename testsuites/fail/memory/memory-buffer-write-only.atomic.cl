// run: -g 70 -a 'write_only int[1]=0'
kernel void count(global int* counter) {
  atomic_add(counter, 1);  // reads, though nobody uses the value
}
