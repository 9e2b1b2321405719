// What the debugger's scripts look at where a watchpoint waits for another launch.
kernel void first(global int* a) {
  a[get_global_id(0)] = 1;
}

kernel void second(global int* b) {
  int id = get_global_id(0);
  b[id] += 5;
}
