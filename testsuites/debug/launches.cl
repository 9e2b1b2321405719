// What the debugger's scripts look at: two kernels, one launched after the other.
kernel void fill(global int* p) {
  p[get_global_id(0)] = 1;
}

kernel void add(global int* p) {
  int id = get_global_id(0);
  p[id] += id;
}
